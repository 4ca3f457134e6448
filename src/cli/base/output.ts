import { escapeJson, escapeTerminal } from '../../domain/text/escape.js';
import type { CliIo } from './deps.js';

/** Columns aligned with two blanks between, every cell escaped: cells hold text of forges and agents. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [header, ...rows].map((row) => row.map(escapeTerminal));
  const widths = header.map((_, column) =>
    // Not spread into one call: of many rows there are too many arguments.
    cells.reduce((widest, row) => Math.max(widest, displayWidth(row[column] ?? '')), 0),
  );
  return cells.map((row) => `${alignRow(row, widths)}\n`).join('');
}

function alignRow(row: readonly string[], widths: readonly number[]): string {
  return row
    .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - displayWidth(cell))))
    .join('  ')
    .trimEnd();
}

/** Cells of a terminal: those of its code points. */
export function displayWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const point of text) width += pointWidth(point);
  return width;
}

/** Where nothing takes two cells, but for emoji: whatever is not listed is taken to. Too much leaves a gap, too little hides a text. */
const NARROW =
  /[\u{a0}-\u{10ff}\u{1160}-\u{2328}\u{232b}-\u{262f}\u{2638}-\u{2689}\u{2690}-\u{2e7f}\u{a4d0}-\u{a95f}\u{a980}-\u{abff}\u{d7b0}-\u{d7ff}\u{fb00}-\u{fe0f}\u{fe20}-\u{fe2f}\u{fe70}-\u{feff}\u{ff61}-\u{ffdf}\u{ffe8}-\u{ffff}\u{10000}-\u{16fdf}\u{1b300}-\u{1d2ff}\u{1d380}-\u{1efff}]/u;
const TAKES_NONE = /[\p{Mn}\p{Me}]/u;

/** Of one code point that is no control character: at least as many as ink and terminals give it. */
export function pointWidth(point: string): number {
  if (point <= '~') return 1;
  // Makes a key of a digit, which takes two cells then.
  if (point === '\u{20e3}') return 1;
  if (TAKES_NONE.test(point)) return 0;
  return NARROW.test(point) && !/\p{Emoji_Presentation}/u.test(point) ? 1 : 2;
}

/** One JSON document and nothing else on standard output. */
export function printJson(io: Pick<CliIo, 'stdout'>, value: unknown): void {
  io.stdout.write(`${escapeJson(JSON.stringify(value, null, 2))}\n`);
}

/** The same in one line, where a command prints many, or may have printed some. */
export function printJsonLine(io: Pick<CliIo, 'stdout'>, value: unknown): void {
  io.stdout.write(`${escapeJson(JSON.stringify(value))}\n`);
}

/** A line of our own words around text that is not ours. */
export function printLine(io: CliIo, text: string): void {
  io.stdout.write(`${escapeTerminal(text)}\n`);
}

export function printProblem(io: Pick<CliIo, 'stderr'>, text: string): void {
  for (const line of text.split('\n')) io.stderr.write(`${escapeTerminal(line)}\n`);
}
