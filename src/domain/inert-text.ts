/**
 * Text written by an agent, made harmless before it is posted in the bot's name (security rules, "Output").
 *
 * The technique is one zero-width space (U+200B) inside the pattern a forge would act on: the text looks the same to a
 * reader, but no parser sees a mention, a reference or a command. Backticks were not chosen, since what counts as
 * code differs between Markdown parsers; for the same reason text inside code is treated like any other. The price is
 * an invisible character in copied code such as `@decorator` or `#123`.
 */

const ZERO_WIDTH_SPACE = '\u200B';

/** Longest title, characters; Gitea keeps 255. */
export const PR_TITLE_LENGTH = 200;
/** Longest body, characters, our own closing line not counted. */
export const PR_BODY_LENGTH = 60_000;

const CUT = '…';

/** Controls, bidi marks and every other invisible character, but line feed, tab and the joiners that scripts and emoji need. */
const INVISIBLE = /(?![\n\t\u200C\u200D])[\p{Cc}\p{Cf}\p{Cs}]/gu;
const LINE_BREAK = /\r\n?|[\u0085\u2028\u2029]/g;

/** Markdown and HTML that a forge may drop before it looks for a number: `#**12**`. */
const MARKUP = '(?:[*_~`\\\\]|<[^<>]{0,80}>){0,20}';

/** Where the zero-width space goes: after what the first group matched. Sources: Gitea's references.go, GitHub's manual. */
const LIVE: readonly RegExp[] = [
  // Mentions, `owner/repo@sha`, Gitea's `@1h` time log. After a letter or digit (mail address, `pkg@1.2`) none is read.
  /((?<![A-Za-z0-9])@)(?=\S)/g,
  /((?<=[\w.-]\/[\w.-]{1,100})@)(?=[0-9a-f]{7})/gi,
  // `#12`, `!12`, `owner/repo#12`: without them a closing keyword has nothing to close.
  new RegExp(`([#!])(?=${MARKUP}[0-9])`, 'g'),
  /(\bGH-)(?=[0-9])/gi,
  // A full address of an issue or pull request counts as a reference too.
  /(\/(?:issues|pulls?|merge_requests)\/)(?=[0-9])/gi,
  // Comment commands (`/approve`), also in a quotation or list.
  /(^[\s>*+-]*\/)(?=\S)/gm,
  // Comments (our hidden markers are some) and elements that would swallow what follows.
  /(<)(?=[!?]|(?:script|style|pre|textarea|plaintext|xmp)\b)/gi,
];

/** `&#35;12` and `&commat;name` read as `#12` and `@name` on the page. */
const ENTITY = /&(?=#(?:0*(?:33|35|47|64)|x0*(?:21|23|2f|40))(?![0-9a-f])|(?:num|excl|sol|commat);)/gi;

/**
 * Makes mentions, references to issues and commits, closing keywords, leading `/` commands, HTML comments and
 * character tricks in `text` inert. Doing it twice changes nothing more.
 * @param maxLength characters (code points) of the result; a cut ends with an ellipsis
 */
export function inertText(text: string, maxLength: number = PR_BODY_LENGTH): string {
  let inert = text
    .slice(0, maxLength * 4)
    .replace(LINE_BREAK, '\n')
    .replace(INVISIBLE, '')
    .replace(ENTITY, '&amp;');
  for (const pattern of LIVE) inert = inert.replace(pattern, `$1${ZERO_WIDTH_SPACE}`);
  return cut(inert, maxLength);
}

/** One line for a pull request's title; `fallback` (also treated) when the agent's text has nothing to show. */
export function pullRequestTitle(text: string, fallback: string): string {
  const line = (source: string): string =>
    inertText(source.replace(/\s+/g, ' ').trim(), PR_TITLE_LENGTH).trim();
  return line(text) || line(fallback);
}

/**
 * The body of a pull request: the agent's text made inert and, when the run has an issue, `Closes #<issue>` as the last
 * line, so that merging closes it (spec 8). An open code fence is disarmed, else it would swallow that line.
 */
export function pullRequestBody(text: string, issue: number | null): string {
  const body = disarmOpenFence(inertText(text.trim(), PR_BODY_LENGTH));
  if (issue === null) return body;
  return `${body === '' ? '' : `${body}\n\n`}Closes #${String(issue)}`;
}

function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const letters = Array.from(text);
  return letters.length <= maxLength ? text : letters.slice(0, maxLength - 1).join('') + CUT;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/** CommonMark 4.5, for fences outside lists and quotations: those end with their container anyway. */
function disarmOpenFence(text: string): string {
  const lines = text.split('\n');
  let open: { readonly line: number; readonly marker: string } | undefined;
  lines.forEach((line, index) => {
    const [, marker = '', rest = ''] = FENCE.exec(line) ?? [];
    if (marker === '') return;
    if (open === undefined) {
      if (marker.startsWith('~') || !rest.includes('`')) open = { line: index, marker };
    } else if (marker.startsWith(open.marker) && rest.trim() === '') {
      open = undefined;
    }
  });
  if (open === undefined) return text;
  const start = open.line;
  const disarmed = lines.map((line, index) => (index === start ? ZERO_WIDTH_SPACE + line.trimStart() : line));
  return disarmOpenFence(disarmed.join('\n'));
}
