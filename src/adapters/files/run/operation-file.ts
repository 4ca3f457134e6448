import { appendFile, stat } from 'node:fs/promises';
import { unlessMissing } from '../../system/errno.js';

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
  const size = (await unlessMissing(stat(file)))?.size ?? 0;
  if (size >= maxBytes) return;
  const mark = `${JSON.stringify({
    id: `operations-full-${String(turn)}`,
    at: Date.now(),
    operation: 'operations',
    target: '-',
    outcome: 'failed',
    text: 'the operation log is full: further operations of this turn are not kept',
  })}\n`;
  const room = maxBytes - mark.length - size;
  let fitting = '';
  for (const line of lines) {
    const next = `${line}\n`;
    if (Buffer.byteLength(fitting) + Buffer.byteLength(next) > room) {
      // Padded to the cap, so that the next call finds it full; JSON does not mind.
      const left = maxBytes - size - Buffer.byteLength(fitting);
      fitting += `${mark.trimEnd().padEnd(left - 1)}\n`;
      break;
    }
    fitting += next;
  }
  await appendFile(file, fitting, { mode: 0o600, flush: true });
}
