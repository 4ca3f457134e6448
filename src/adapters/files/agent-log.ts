import { open } from 'node:fs/promises';
import type { LogLine } from '../../domain/bottle-runtime.js';

/** Most bytes of an agent's output that are kept of one turn. */
export const AGENT_LOG_BYTES = 64 * 1024 * 1024;
const FULL = '- host the log is full; further output of this turn is not kept\n';

/** Appends `<time> <stream> <text>` a line, up to the cap; then one line says so and the rest is dropped. */
export async function appendAgentLog(
  file: string,
  lines: readonly LogLine[],
  maxBytes: number,
): Promise<void> {
  const handle = await open(file, 'a', 0o600);
  try {
    const { size } = await handle.stat();
    if (size >= maxBytes) return;
    const text = Buffer.from(lines.map(oneLine).join(''), 'utf8');
    const room = maxBytes - size;
    if (text.length <= room) {
      await handle.appendFile(text);
      return;
    }
    const whole = text.subarray(0, text.subarray(0, room).lastIndexOf(0x0a) + 1);
    // Padded to the cap, so that the next call finds it full.
    const mark = Buffer.from(FULL.padStart(Math.max(FULL.length, room - whole.length), '\n'), 'utf8');
    await handle.appendFile(Buffer.concat([whole, mark]));
  } finally {
    await handle.close();
  }
}

function oneLine({ at, stream, text }: LogLine): string {
  return `${at} ${stream} ${text.replace(/[\r\n]+/g, ' ')}\n`;
}
