import { escapeJson, escapeTerminal } from '../../domain/text/escape.js';
import type { CliIo } from './deps.js';

/** Columns aligned with two blanks between, every cell escaped: cells hold text of forges and agents. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [header, ...rows].map((row) => row.map(escapeTerminal));
  const widths = header.map((_, column) => Math.max(...cells.map((row) => displayWidth(row[column] ?? ''))));
  return cells.map((row) => `${alignRow(row, widths)}\n`).join('');
}

function alignRow(row: readonly string[], widths: readonly number[]): string {
  return row
    .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - displayWidth(cell))))
    .join('  ')
    .trimEnd();
}

const WIDE =
  '[\\p{Emoji_Presentation}\\u1100-\\u115f\\u2e80-\\ua4cf\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe30-\\ufe6f\\uff00-\\uff60\\uffe0-\\uffe6]|[\\u{20000}-\\u{3fffd}]';
const IS_WIDE = new RegExp(WIDE, 'u');
const ALL_WIDE = new RegExp(WIDE, 'gu');

/** Cells of a terminal: East Asian wide characters and emoji take two, combining marks none. */
export function displayWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  const wide = text.match(ALL_WIDE);
  const marks = text.match(/\p{M}/gu);
  const points = text.match(/./gsu);
  return (points?.length ?? 0) + (wide?.length ?? 0) - (marks?.length ?? 0);
}

/** The same of one code point that is no control character, many times faster. */
export function pointWidth(point: string): number {
  if (point <= '~') return 1;
  return 1 + Number(IS_WIDE.test(point)) - Number(/\p{M}/u.test(point));
}

/** One JSON document and nothing else on standard output. */
export function printJson(io: Pick<CliIo, 'stdout'>, value: unknown): void {
  io.stdout.write(`${escapeJson(JSON.stringify(value, null, 2))}\n`);
}

/** The same in one line, where a command prints many. */
export function printJsonLine(io: CliIo, value: unknown): void {
  io.stdout.write(`${escapeJson(JSON.stringify(value))}\n`);
}

/** A line of our own words around text that is not ours. */
export function printLine(io: CliIo, text: string): void {
  io.stdout.write(`${escapeTerminal(text)}\n`);
}

export function printProblem(io: Pick<CliIo, 'stderr'>, text: string): void {
  for (const line of text.split('\n')) io.stderr.write(`${escapeTerminal(line)}\n`);
}
