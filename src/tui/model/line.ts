/** Lines as they are drawn: pieces of text with a look each, made harmless and cut to the terminal's columns. Pure. */
import { displayWidth, pointWidth } from '../../cli/base/output.js';
import { wrap } from '../../cli/base/wrap.js';
import { escapeTerminal } from '../../domain/text/escape.js';

export type Look = 'plain' | 'strong' | 'faint' | 'added' | 'removed' | 'place' | 'alarm' | 'chosen';

export interface Span {
  readonly text: string;
  readonly look: Look;
}

export type Line = readonly Span[];

export const EMPTY: Line = [];

/**
 * Text of anybody's, shown and not obeyed. Marks that heap up on one character, and the selectors that make terminals
 * disagree about its width, are shown by their numbers.
 */
export function safe(text: string): string {
  return escapeTerminal(text)
    .replace(/[\u{fe00}-\u{fe0f}\u{e0100}-\u{e01ef}]/gu, numbers)
    .replace(/(?<=\p{M}{2})\p{M}+/gu, numbers);
}

function numbers(text: string): string {
  return Array.from(text, (point) => `\\u{${(point.codePointAt(0) ?? 0).toString(16)}}`).join('');
}

export function line(text: string, look: Look = 'plain'): Line {
  return [{ text: safe(text), look }];
}

/** A text of several lines, wrapped and set in. */
export function paragraph(text: string, columns: number, look: Look = 'plain', indent = '  '): Line[] {
  return text
    .replace(/\n+$/, '')
    .split('\n')
    .flatMap((one) => wrapped(safe(one), columns - indent.length))
    .map((piece) => [{ text: indent + piece, look }]);
}

/** Exactly so many columns: cut with an ellipsis, or filled with blanks. @param text that is safe */
export function cell(text: string, columns: number): string {
  const width = displayWidth(text);
  if (width <= columns) return text + ' '.repeat(columns - width);
  let cut = '';
  let used = 0;
  for (const point of text) {
    const cells = pointWidth(point);
    if (used + cells > columns - 1) break;
    cut += point;
    used += cells;
  }
  return `${cut}…${' '.repeat(Math.max(0, columns - 1 - used))}`;
}

/** Its end, as much as fits. @param text that is safe */
export function lastOf(text: string, columns: number): string {
  const points = Array.from(text);
  let from = points.length;
  for (let used = 0; from > 0; from -= 1) {
    used += pointWidth(points[from - 1] ?? '');
    if (used > columns) break;
  }
  return points.slice(from).join('');
}

/** Cut in its middle: slugs differ at their ends. */
export function middle(text: string, columns: number): string {
  const points = Array.from(safe(text));
  if (points.length <= columns) return points.join('');
  const end = Math.floor((columns - 1) / 2);
  return [...points.slice(0, columns - 1 - end), '…', ...points.slice(points.length - end)].join('');
}

function wrapped(text: string, columns: number): string[] {
  return text === '' ? [''] : wrap(text, columns);
}
