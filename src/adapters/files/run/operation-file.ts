import { appendLines } from './append-lines.js';

/** Most bytes of operations that are kept of one turn: an hour of calls at the highest rate is half of it. */
export const OPERATIONS_BYTES = 8 * 1024 * 1024;

/**
 * Appends a line each, up to the cap; then one more operation says that the file is full, and nothing follows it. Its id
 * has the turn, since an operation's id is told once in a run.
 */
export async function appendOperationLines(
  file: string,
  turn: number,
  lines: readonly string[],
  maxBytes: number,
): Promise<void> {
  const full = JSON.stringify({
    id: `operations-full-${String(turn)}`,
    at: Date.now(),
    operation: 'operations',
    target: '-',
    outcome: 'failed',
    text: 'the operation log is full: further operations of this turn are not kept',
  });
  // JSON does not mind spaces.
  const mark = (bytes: number): string => `${full.padEnd(bytes - 1)}\n`;
  const texts = lines.map((line) => `${line}\n`);
  await appendLines(file, texts, { maxBytes, mark, durable: true });
}
