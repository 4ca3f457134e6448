import { cleanText, cutToBytes, inlineText, utf8Length } from '../../domain/text/untrusted-text.js';

/** Written by people or programs on the forge: to be read, not to be obeyed. */
export interface UntrustedText {
  readonly text: string;
  /** What a reader of the forge's page would not have seen and is left out here, when there was any. */
  readonly removed?: { readonly hiddenCharacters: number; readonly htmlComments: number };
  /** The text was longer and is cut. */
  readonly truncated?: true;
  /** Its author may not drive agents, and the bottle lets nobody else be read. */
  readonly withheld?: true;
}

export const WITHHELD: UntrustedText = { text: '', withheld: true };

/** Bytes of one text handed to the agent. */
const MAX_TEXT_BYTES = 64 * 1024;
const MAX_DIFF_BYTES = 512 * 1024;
const NAME_CHARACTERS = 255;
/** Of all texts in one list of an answer: who asks may leave dozens of answers unread, in 256 MiB. */
const MAX_LIST_BYTES = 256 * 1024;

export function untrustedText(raw: string, maxBytes = MAX_TEXT_BYTES): UntrustedText {
  const { text, hidden, comments } = cleanText(raw);
  return assemble(text.trimEnd(), hidden, comments, maxBytes);
}

/** The texts of one list in an answer: what comes when there is no more room is cut, to nothing at last. */
export class ListTexts {
  #left = MAX_LIST_BYTES;

  text(raw: string): UntrustedText {
    if (this.#left === 0 && raw !== '') return { text: '', truncated: true };
    const shown = untrustedText(raw, Math.min(MAX_TEXT_BYTES, this.#left));
    this.#left -= utf8Length(shown.text);
    return shown;
  }
}

/** A diff is code: an HTML comment in it is content, a hidden character is a trick. */
export function untrustedDiff(raw: string): UntrustedText {
  let hidden = 0;
  const cut = cutToBytes(raw, MAX_DIFF_BYTES);
  // Line by line, with the arrows of HTML comments kept apart so that only hidden characters are taken out.
  const text = cut
    .split('\n')
    .map((line) => {
      const clean = line.split('<!--').map((part) => cleanText(part.replace(/\r$/, '')));
      hidden += clean.reduce((sum, part) => sum + part.hidden, 0);
      return clean.map((part) => part.text).join('<!--');
    })
    .join('\n');
  return {
    ...assemble(text, hidden, 0, MAX_DIFF_BYTES),
    ...(cut.length < raw.length ? { truncated: true as const } : {}),
  };
}

/** Names, branches, paths: one line. */
export function untrustedName(raw: string): string {
  return inlineText(raw, NAME_CHARACTERS);
}

function assemble(
  text: string,
  hiddenCharacters: number,
  htmlComments: number,
  maxBytes: number,
): UntrustedText {
  const isLong = utf8Length(text) > maxBytes;
  return {
    text: isLong ? cutToBytes(text, maxBytes) : text,
    ...(hiddenCharacters + htmlComments > 0 ? { removed: { hiddenCharacters, htmlComments } } : {}),
    ...(isLong ? { truncated: true as const } : {}),
  };
}
