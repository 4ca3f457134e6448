/**
 * Text written by an agent, made harmless before it is posted in the bot's name: nothing in
 * it is acted on by the forge, and nothing is loaded by the browser of whoever opens the page. Code stays as it is (ADR 0030).
 */
import { INVISIBLE, inertMarks } from './inert-marks.js';
import { inertMarkdown } from './inert-markdown.js';

/** Longest title, characters; Gitea keeps 255. */
export const PR_TITLE_LENGTH = 200;
/** Longest body, characters, our own closing line not counted. */
export const PR_BODY_LENGTH = 60_000;

const CUT = '…';
const LINE_BREAK = /\r\n?|[\u0085\u2028\u2029]/g;
/** Gitea takes what stands between such lines for settings of the page, if the first one begins the text. */
const FIRST_RULE = /^---+[ \t]*(?=\n|$)/;

/**
 * Makes mentions, references to issues and commits, closing keywords, leading `/` commands, HTML, images of other hosts
 * and character tricks in a Markdown `text` inert, in time proportional to its length.
 * @param forge where its pages are (`https://git.example`), whose images stay images; `null` when it is not known
 * @param maxLength characters (code points) of the result; a cut ends with an ellipsis
 */
export function inertText(text: string, forge: string | null, maxLength: number = PR_BODY_LENGTH): string {
  return cut(visible(text, maxLength).replace(FIRST_RULE, '***'), maxLength, (part) =>
    inertMarkdown(part, forge),
  );
}

/** Where a forge's pages are, as `inertText` wants it. @param api its address as it is configured */
export function pagesOf(api: string): string | null {
  const pages = api.replace(/\/*$/, '').replace(/\/api\/v1$/, '');
  return pages === '' ? null : pages;
}

/** One line for a pull request's title; `fallback` (also treated) when the agent's text has nothing to show. */
export function pullRequestTitle(text: string, fallback: string): string {
  const line = (source: string): string =>
    cut(visible(source, PR_TITLE_LENGTH).replace(/\s+/g, ' ').trim(), PR_TITLE_LENGTH, inertLine).trim();
  return line(text) || line(fallback);
}

/**
 * The body of a pull request: the agent's text made inert and, when the run has an issue, `Closes #<issue>` as the last
 * line, so that merging closes it: an inert text leaves nothing open that could swallow that line.
 */
export function pullRequestBody(text: string, issue: number | null, forge: string | null): string {
  const body = inertText(text.trim(), forge);
  if (issue === null) return body;
  return `${body === '' ? '' : `${body}\n\n`}Closes #${String(issue)}`;
}

/** A title is no Markdown, whatever looks like code in it. */
function inertLine(line: string): string {
  return inertMarks(line.replace(/^\/(?=\S)/, '/\u200B'), null);
}

function visible(text: string, maxLength: number): string {
  return text
    .slice(0, maxLength * 4)
    .replace(LINE_BREAK, '\n')
    .replace(INVISIBLE, '');
}

/** As much of the beginning as fits when it is treated, cut before that, so that what was treated stays whole. */
function cut(text: string, maxLength: number, treat: (part: string) => string): string {
  const whole = lengthOf(text);
  let kept = whole <= maxLength ? whole : maxLength - 1;
  for (;;) {
    const treated = treat(kept === whole ? text : beginningOf(text, kept) + CUT);
    const length = lengthOf(treated);
    if (length <= maxLength) return treated;
    if (kept === 0) return CUT;
    kept = Math.max(0, Math.floor((kept * maxLength) / length - kept / 16));
  }
}

/** Code points of a text without lone surrogates. */
function lengthOf(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF]/g)?.length ?? 0);
}

function beginningOf(text: string, characters: number): string {
  let end = 0;
  for (let at = 0; at < characters; at += 1) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}
