/**
 * What of a Markdown text is code, so that it can stay as it is, and what is not, so that it is made inert (ADR 0030).
 * No parser is believed: a line is taken for code only where every reading of the lines before it makes it code, and
 * whatever else could open a block that swallows marks (a fence, HTML, mathematics) is disarmed on the way. In doubt text
 * is treated as text, which costs a reader nothing but an invisible character in copied code.
 */
import { codeParts, mayHoldCode } from './inert-code-spans.js';
import { InertParts } from './inert-parts.js';
import { ZERO_WIDTH_SPACE } from './inert-marks.js';

/** Languages that a forge draws instead of showing; a drawing may load images. */
const DRAWN = new Set(['mermaid', 'geojson', 'topojson', 'stl']);

/** A fence after spaces, one bullet or one quotation mark. A line of backticks with more of them behind is code in a line. */
const OPENER = /^( {0,3}[-*+] {1,3}|> ?| *)(`{3,}(?=[^`]*$)|~{3,})(.*)$/;
/** Nothing else in what is behind the mark of a list or quotation. */
const MARKS = /^\s*(?:`+|~+)\s*$/;
const END = /^[`~]+[ \t]*$/;
const END_AT_MARGIN = /^ {0,3}[`~]+[ \t]*$/;
/** A line of nothing but a folding element: a block of HTML, which the blank line behind it ends. */
const FOLD = /^ {0,3}<(?:\/?(?:details|summary)|details open)>/i;
/** Below it a `|` ends a cell, in code too. */
const TABLE_RULE = /^[ \t>]*[|:-][|: \t-]*$/;
/** Comment commands (`/approve`), also in a quotation or list, behind whatever white space a forge trims. */
const COMMAND = /^[\s>*+-]*\/(?=\S)/;
/** Gitea cuts attributes off a heading before it looks for code. */
const ATTRIBUTES = /\}[ \t#]*$/;
/** Look-ahead in lines of all fences together, as a multiple of the lines there are. */
const LOOK_AHEAD = 4;

/** @param text already without invisible characters, its lines ended by `\n` */
export function inertMarkdown(text: string, forge: string | null): string {
  const lines = text.split('\n');
  const out = new InertParts(forge);
  let paragraph: string[] = [];
  let budget = lines.length * LOOK_AHEAD;
  const flush = (): void => {
    if (paragraph.length > 0) addParagraph(paragraph, out);
    paragraph = [];
  };
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const fence = openedBy(line, lines[at - 1]);
    const end = fence === undefined ? undefined : endOfFence(lines, at, fence, budget);
    budget -= end?.looked ?? 0;
    if (fence !== undefined && end?.found === true) {
      flush();
      out.code([fence.prefix + fence.run + fence.language, ...end.content, end.closer].join('\n'));
      out.text('\n');
      at = end.at;
    } else if (isBlank(line)) {
      flush();
      out.text('\n');
    } else {
      paragraph.push(line);
      if (isFold(line) && !isBlank(lines[at + 1] ?? '')) {
        flush();
        out.text('\n');
      }
    }
  }
  flush();
  // A line end for each line.
  return out.whole().slice(0, -1);
}

interface Fence {
  readonly prefix: string;
  /** What each of its lines begins with. */
  readonly inside: string;
  readonly run: string;
  readonly language: string;
}

function openedBy(line: string, before = ''): Fence | undefined {
  if (!line.includes('```') && !line.includes('~~~')) return undefined;
  const [, prefix, run, info = ''] = OPENER.exec(line) ?? [];
  if (prefix === undefined || run === undefined) return undefined;
  // Deeper, it may go on with a paragraph.
  if (prefix.startsWith('    ') && !isBlank(before)) return undefined;
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
      readonly content: readonly string[];
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
  for (let at = opener + 1; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const looked = at - opener;
    const isIn = atMargin || line.startsWith(inside) || (inside !== '>' && isBlank(line));
    if (!isIn || (!atMargin && looked > budget)) return { found: false, looked };
    if (!isNearlyEnd(line, fence)) continue;
    if (end.test(inside === '>' ? line.replace(/^> ?/, '') : line.slice(inside.length)))
      return {
        found: true,
        looked,
        at,
        content: contentOf(lines.slice(opener + 1, at), fence),
        closer: line.trimEnd(),
      };
    if (!atMargin) return { found: false, looked };
  }
  return atMargin
    ? {
        found: true,
        looked: 0,
        at: lines.length,
        content: contentOf(lines.slice(opener + 1), fence),
        closer: run,
      }
    : { found: false, looked: lines.length - opener };
}

function contentOf(lines: readonly string[], fence: Fence): readonly string[] {
  if (fence.prefix !== '') return lines;
  return lines.map((line) => (isNearlyEnd(line, fence) ? ZERO_WIDTH_SPACE + line : line));
}

/** What another parser may take for the end. */
function isNearlyEnd(line: string, { run, inside }: Fence): boolean {
  return line.includes(run) && MARKS.test(line.slice(inside.length));
}

/** Lines without a blank one between them: once a mark may have been read otherwise, no code in a line is believed. */
function addParagraph(lines: readonly string[], out: InertParts): void {
  const inTable = lines.some((line) => line.includes('-') && TABLE_RULE.test(line));
  let doubtful = false;
  for (const line of lines) {
    if (isFold(line)) out.fold(line);
    else doubtful = addLine(line, doubtful, inTable, out);
    out.text('\n');
  }
}

/** Whether the lines behind it are in doubt. */
function addLine(line: string, doubtful: boolean, inTable: boolean, out: InertParts): boolean {
  const slash = line.includes('/') ? (COMMAND.exec(line)?.[0] ?? '') : '';
  if (slash !== '') out.text(slash + ZERO_WIDTH_SPACE);
  const text = line.slice(slash.length);
  const noCode = doubtful || (line.includes('}') && ATTRIBUTES.test(line));
  if (noCode || !mayHoldCode(text)) {
    out.text(text);
    return noCode;
  }
  const read = codeParts(text, inTable);
  for (const part of read.parts)
    if (part.code) out.code(part.text);
    else out.text(part.text);
  return read.doubtful;
}

// Of most lines a look at one character is enough, and a text may be nothing but lines.

function isBlank(line: string): boolean {
  return line === '' || /^[ \t]+$/.test(line);
}

function isFold(line: string): boolean {
  return line.includes('<') && FOLD.test(line);
}
