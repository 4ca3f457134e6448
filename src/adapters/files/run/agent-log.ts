import { open } from 'node:fs/promises';
import type { LogLine } from '../../../domain/bottle/bottle-runtime.js';
import type { DroppedLog, MissingLog } from '../../../domain/run/run-files.js';
import { dropCutLine } from '../drop-cut-line.js';

/** Most bytes of an agent's output that are kept of one turn, and of all turns of a run. */
export const AGENT_LOG_BYTES = 64 * 1024 * 1024;
export const RUN_LOG_BYTES = 512 * 1024 * 1024;

const FULL = '- host the log is full; further output of this turn is not kept\n';
const GAP =
  '- host lines of this turn may be missing: the agent printed more than the engine keeps, or faster than it is read\n';
export const NOTHING_DROPPED: DroppedLog = { lines: 0, bytes: 0 };

/**
 * Appends `<time> <stream> <text>` a line, up to the cap; then one line says so. Answers what was not kept. A last line
 * that a crash has cut is among those that are given again, and takes the place of what is there of it.
 */
export async function appendAgentLog(
  file: string,
  lines: readonly LogLine[],
  maxBytes: number,
): Promise<DroppedLog> {
  const handle = await open(file, 'a+', 0o600);
  try {
    const size = await dropCutLine(handle);
    const texts = lines.map(oneLine);
    if (size >= maxBytes) return droppedOf(texts);
    const text = Buffer.from(texts.join(''), 'utf8');
    // Room for the mark is kept free.
    const room = Math.max(0, maxBytes - FULL.length - size);
    if (text.length <= room) {
      await handle.appendFile(text);
      return NOTHING_DROPPED;
    }
    const whole = text.subarray(0, text.subarray(0, room).lastIndexOf(0x0a) + 1);
    // Padded to the cap, so that the next call finds it full.
    const mark = Buffer.from(FULL.padStart(maxBytes - size - whole.length, '\n'), 'utf8');
    await handle.appendFile(Buffer.concat([whole, mark]));
    return droppedOf(texts.slice(whole.toString('utf8').split('\n').length - 1));
  } finally {
    await handle.close();
  }
}

/** Says at the end of a log what is missing; at that of a full one once. */
export async function noteMissing(file: string, missing: MissingLog, maxBytes: number): Promise<void> {
  const handle = await open(file, 'a', 0o600);
  try {
    const { size } = await handle.stat();
    if (size > Math.max(maxBytes, FULL.length)) return;
    let text = '';
    if (missing.mayHaveGap) text += GAP;
    if (missing.lines > 0)
      text += `- host at least ${String(missing.lines)} lines (${String(missing.bytes)} bytes) of this turn are not kept\n`;
    await handle.appendFile(text);
  } finally {
    await handle.close();
  }
}

function droppedOf(texts: readonly string[]): DroppedLog {
  return { lines: texts.length, bytes: texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) };
}

function oneLine({ at, stream, text }: LogLine): string {
  return `${at} ${stream} ${text.replace(/[\r\n]+/g, ' ')}\n`;
}
