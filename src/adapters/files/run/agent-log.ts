import { open } from 'node:fs/promises';
import type { LogLine } from '../../../domain/bottle/bottle-runtime.js';
import type { DroppedLog, MissingLog } from '../../../domain/run/run-files.js';
import { appendLines } from './append-lines.js';

/** Most bytes of an agent's output that are kept of one turn, and of all turns of a run. */
export const AGENT_LOG_BYTES = 64 * 1024 * 1024;
export const RUN_LOG_BYTES = 512 * 1024 * 1024;

const FULL = '- host the log is full; further output of this turn is not kept\n';
const GAP =
  '- host lines of this turn may be missing: the agent printed more than the engine keeps, or faster than it is read\n';
export const NOTHING_DROPPED: DroppedLog = { lines: 0, bytes: 0 };

/** Appends `<time> <stream> <text>` a line, up to the cap; then one line says so. Answers what was not kept. */
export async function appendAgentLog(
  file: string,
  lines: readonly LogLine[],
  maxBytes: number,
): Promise<DroppedLog> {
  const texts = lines.map(oneLine);
  const mark = (bytes: number): string => FULL.padStart(bytes, '\n');
  const kept = await appendLines(file, texts, { maxBytes, mark, durable: false });
  const dropped = texts.slice(kept);
  return {
    lines: dropped.length,
    bytes: dropped.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
  };
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

function oneLine({ at, stream, text }: LogLine): string {
  return `${at} ${stream} ${text.replace(/[\r\n]+/g, ' ')}\n`;
}
