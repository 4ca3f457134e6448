/**
 * Text of strangers on its way into a prompt: made visible, cut to size and quoted, so that no part of it can pass for
 * the orchestrator's own words.
 */

export interface CleanText {
  readonly text: string;
  /** Code points removed: controls, bidi marks, zero-width and other invisible characters, lone surrogates. */
  readonly hidden: number;
  /** HTML comments removed: a forge's page does not show them, so nobody who may drive the agent has seen them. */
  readonly comments: number;
}

/**
 * What a browser does not show and a model reads. The first group is an emoji's own variation selector or joiner: kept,
 * everybody sees what they do.
 */
const INVISIBLE =
  /((?<=\p{Emoji})\uFE0F|(?<=\p{Extended_Pictographic}[\uFE0F\u{1F3FB}-\u{1F3FF}]?)\u200D(?=\p{Extended_Pictographic}))|(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Removes what a reader of the forge's page does not see, and counts it. Line ends become `\n`; tabs stay. */
export function cleanText(text: string): CleanText {
  let hidden = 0;
  const lines = text.replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n');
  const visible = lines.replace(INVISIBLE, (_match, emojiPart: string | undefined) => {
    if (emojiPart !== undefined) return emojiPart;
    hidden += 1;
    return '';
  });
  const { kept, removed } = withoutHtmlComments(visible);
  return { text: kept, hidden, comments: removed };
}

const [LESS, BANG, HYPHEN] = [0x3c, 0x21, 0x2d];

/**
 * One pass over code units that looks back at what it has kept, so that removing a comment cannot make a new one out
 * of its neighbours, in linear time. An unclosed comment reaches to the end, as in CommonMark.
 */
function withoutHtmlComments(text: string): { readonly kept: string; readonly removed: number } {
  if (!text.includes('--')) return { kept: text, removed: 0 };
  const kept = new Uint16Array(text.length);
  let length = 0;
  let removed = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    kept[length] = unit;
    length += 1;
    if (
      unit !== HYPHEN ||
      kept[length - 2] !== HYPHEN ||
      kept[length - 3] !== BANG ||
      kept[length - 4] !== LESS
    )
      continue;
    removed += 1;
    length -= 4;
    at = endOfComment(text, at);
  }
  return { kept: new TextDecoder('utf-16le').decode(kept.subarray(0, length)), removed };
}

/** Index of the `>` that ends the comment whose opening ends at `hyphen`; `<!-->` and `<!--->` are whole comments. */
function endOfComment(text: string, hyphen: number): number {
  if (text.startsWith('>', hyphen + 1)) return hyphen + 1;
  if (text.startsWith('->', hyphen + 1)) return hyphen + 2;
  const end = text.indexOf('-->', hyphen + 1);
  return end === -1 ? text.length : end + 2;
}

/** One line of it: names, titles and paths that stand inside the orchestrator's own sentences. */
export function inlineText(text: string, maxCharacters = 200): string {
  const line = cleanText(text).text.replace(/\s+/g, ' ').trim();
  const characters = Array.from(line);
  return characters.length <= maxCharacters ? line : `${characters.slice(0, maxCharacters - 1).join('')}…`;
}

export function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** The longest beginning of at most so many UTF-8 bytes that splits no character. */
export function cutToBytes(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}

/** Every line behind `> `: whatever the text is, none of its lines can begin like one of ours. */
export function quoteLines(text: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
}

/** `3 hidden characters and 1 HTML comment removed`; empty when nothing was. */
export function removalNote(clean: Pick<CleanText, 'hidden' | 'comments'>): string {
  const parts = [count(clean.hidden, 'hidden character'), count(clean.comments, 'HTML comment')].filter(
    Boolean,
  );
  return parts.length === 0 ? '' : `${parts.join(' and ')} removed`;
}

function count(n: number, noun: string): string {
  return n === 0 ? '' : `${String(n)} ${noun}${n === 1 ? '' : 's'}`;
}
