/**
 * What of a Markdown text is code, so that it can stay as it is, and what is not, so that it is made inert (ADR 0030).
 * No parser is believed: a line is taken for code only where every reading of the lines before it makes it code, and
 * whatever else could open a block that swallows marks (a fence, HTML, mathematics) is disarmed on the way. In doubt text
 * is treated as text, which costs a reader nothing but an invisible character in copied code.
 */
import { codeParts } from './inert-code-spans.js';
import { inertMarks, ZERO_WIDTH_SPACE } from './inert-marks.js';

/** Languages that a forge draws instead of showing; a drawing may load images. */
const DRAWN = new Set(['mermaid', 'geojson', 'topojson', 'stl']);

/** A fence after spaces, one bullet or one quotation mark. A line of backticks with more of them behind is code in a line. */
const OPENER = /^( {0,3}[-*+] {1,3}|> ?| *)(`{3,}(?=[^`]*$)|~{3,})(.*)$/;
const BLANK = /^[ \t]*$/;
const MARKS = /^(?:`+|~+)$/;
const END = /^[`~]+[ \t]*$/;
const END_AT_MARGIN = /^ {0,3}[`~]+[ \t]*$/;
/** A line of nothing but a folding element: a block of HTML, which the blank line behind it ends. */
const FOLD = /^ {0,3}<(?:\/?(?:details|summary)|details open)>/i;
/** Below it a `|` ends a cell, in code too. */
const TABLE_RULE = /^[ \t>]*[|:-][|: \t-]*$/;
/** Comment commands (`/approve`), also in a quotation or list. */
const COMMAND = /^[ \t>*+-]*\/(?=\S)/;
/** Gitea cuts attributes off a heading before it looks for code. */
const ATTRIBUTES = /\}[ \t#]*$/;
/** Look-ahead in lines of all fences together, as a multiple of the lines there are. */
const LOOK_AHEAD = 4;

/** @param lines of the text, already without invisible characters */
export function inertMarkdown(lines: readonly string[], forge: string | null): string[] {
  const out: string[] = [];
  let paragraph: string[] = [];
  let budget = lines.length * LOOK_AHEAD;
  const flush = (): void => {
    out.push(...inertParagraph(paragraph, forge));
    paragraph = [];
  };
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const fence = openedBy(line, at === 0 || BLANK.test(lines[at - 1] ?? ''));
    const end = fence === undefined ? undefined : endOfFence(lines, at, fence, budget);
    budget -= end?.looked ?? 0;
    if (fence !== undefined && end?.found === true) {
      flush();
      out.push(fence.prefix + fence.run + fence.language, ...end.content, end.closer);
      at = end.at;
    } else if (BLANK.test(line)) {
      flush();
      out.push('');
    } else {
      paragraph.push(line);
      if (FOLD.test(line) && !BLANK.test(lines[at + 1] ?? '')) {
        flush();
        out.push('');
      }
    }
  }
  flush();
  return out;
}

interface Fence {
  readonly prefix: string;
  /** What each of its lines begins with. */
  readonly inside: string;
  readonly run: string;
  readonly language: string;
}

function openedBy(line: string, afterBlank: boolean): Fence | undefined {
  if (!line.includes('```') && !line.includes('~~~')) return undefined;
  const [, prefix, run, info = ''] = OPENER.exec(line) ?? [];
  if (prefix === undefined || run === undefined) return undefined;
  // Deeper, it may go on with a paragraph.
  if (/^ {4}/.test(prefix) && !afterBlank) return undefined;
  const language = /^[\w+#.-]+/.exec(info.trim())?.[0] ?? '';
  return {
    prefix,
    inside: prefix.startsWith('>') ? '>' : ' '.repeat(prefix.length),
    run,
    language: DRAWN.has(language.toLowerCase()) ? '' : language,
  };
}

type FenceEnd =
  | {
      readonly found: true;
      readonly looked: number;
      readonly at: number;
      readonly content: string[];
      readonly closer: string;
    }
  | { readonly found: false; readonly looked: number };

/**
 * A fence at the margin goes on to its end or the text's, and then gets one. Any other one counts only when each of its
 * lines is in whatever list or quotation it may be in, so that all of them are code in every reading.
 */
function endOfFence(lines: readonly string[], opener: number, fence: Fence, budget: number): FenceEnd {
  const { inside, run, prefix } = fence;
  const atMargin = prefix === '';
  const end = atMargin ? END_AT_MARGIN : END;
  const content: string[] = [];
  for (let at = opener + 1; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const looked = at - opener;
    const blank = inside !== '>' && BLANK.test(line);
    if (!atMargin && (looked > budget || (!blank && !line.startsWith(inside))))
      return { found: false, looked };
    const rest = inside === '>' ? line.replace(/^> ?/, '') : line.slice(inside.length);
    const marks = rest.trim();
    const isNearly = marks.startsWith(run) && MARKS.test(marks);
    if (isNearly && end.test(rest)) return { found: true, looked, at, content, closer: line.trimEnd() };
    if (isNearly && !atMargin) return { found: false, looked };
    content.push(isNearly ? ZERO_WIDTH_SPACE + line : line);
  }
  const looked = lines.length - opener;
  return atMargin
    ? { found: true, looked: 0, at: lines.length, content, closer: run }
    : { found: false, looked };
}

/** Lines without a blank one between them: once a mark may have been read otherwise, no code in a line is believed. */
function inertParagraph(lines: readonly string[], forge: string | null): string[] {
  const inTable = lines.some((line) => line.includes('-') && TABLE_RULE.test(line));
  let doubtful = false;
  return lines.map((line) => {
    if (FOLD.test(line)) return inertMarks(line, forge, 'as they are');
    const slash = COMMAND.exec(line)?.[0] ?? '';
    const text = line.slice(slash.length);
    const { parts, doubtful: after } =
      doubtful || ATTRIBUTES.test(line)
        ? { parts: [{ code: false, text }], doubtful: true }
        : codeParts(text, inTable);
    doubtful = after;
    const inert = parts.map((part) => (part.code ? part.text : inertMarks(part.text, forge))).join('');
    return slash === '' ? inert : slash + ZERO_WIDTH_SPACE + inert;
  });
}
