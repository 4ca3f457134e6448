/**
 * Text of strangers on its way into a prompt: made visible, cut to size and quoted, so that no part of it can pass for
 * the orchestrator's own words (security rules, "Who may drive").
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

/**
 * One pass that looks at what it has kept, so that removing a comment cannot make a new one out of its neighbours. An
 * unclosed comment reaches to the end, as in CommonMark.
 */
function withoutHtmlComments(text: string): { readonly kept: string; readonly removed: number } {
  if (!text.includes('-')) return { kept: text, removed: 0 };
  let kept = '';
  let removed = 0;
  let from = 0;
  for (;;) {
    // Whatever completes "<!--" is a hyphen, in the text as it stands or against what was kept before it.
    const hyphen = text.indexOf('-', from);
    if (hyphen === -1) return { kept: kept + text.slice(from), removed };
    kept += text.slice(from, hyphen + 1);
    from = hyphen + 1;
    if (!kept.endsWith('<!--')) continue;
    removed += 1;
    kept = kept.slice(0, -4);
    // "<!-->" is a whole comment: its end may share the opening's hyphens.
    const shared = text.startsWith('->', from) ? from : text.startsWith('>', from) ? from - 1 : -1;
    const end = shared === -1 ? text.indexOf('-->', from) : shared - 1;
    if (end === -1) return { kept, removed };
    from = shared === -1 ? end + 3 : text.indexOf('>', from) + 1;
  }
}

/** One line of it: names, titles and paths that stand inside the orchestrator's own sentences. */
export function inlineText(text: string, maxCharacters = 200): string {
  const line = cleanText(text).text.replace(/\s+/g, ' ').trim();
  const characters = [...line];
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
  const parts = [count(clean.hidden, 'hidden character'), count(clean.comments, 'HTML comment')].filter(Boolean);
  return parts.length === 0 ? '' : `${parts.join(' and ')} removed`;
}

function count(n: number, noun: string): string {
  return n === 0 ? '' : `${String(n)} ${noun}${n === 1 ? '' : 's'}`;
}
