import { open } from 'node:fs/promises';
import { dropCutLine } from '../drop-cut-line.js';

export interface LineCap {
  readonly maxBytes: number;
  /** The line that says that the file is full, of so many bytes; of as few as it can with 0. */
  readonly mark: (bytes: number) => string;
  /** The lines are on the disk when it resolves. */
  readonly durable: boolean;
}

/**
 * Appends lines up to the cap, then the mark, as long as there is room, so that the next call finds the file full. Answers how
 * many of the lines are kept. A last line that a crash has cut is among those that are given again, and takes the place of
 * what is there of it.
 * @param lines each with its newline
 */
export async function appendLines(
  file: string,
  lines: readonly string[],
  { maxBytes, mark, durable }: LineCap,
): Promise<number> {
  const handle = await open(file, 'a+', 0o600);
  try {
    const size = await dropCutLine(handle);
    if (size >= maxBytes) return 0;
    const room = maxBytes - size;
    const least = Buffer.byteLength(mark(0));
    let kept = 0;
    let bytes = 0;
    for (const line of lines) {
      const length = Buffer.byteLength(line);
      if (bytes + length > room - least) break;
      kept += 1;
      bytes += length;
    }
    const end = kept < lines.length ? mark(room - bytes) : '';
    await handle.appendFile(lines.slice(0, kept).join('') + end);
    if (durable) await handle.sync();
    return kept;
  } finally {
    await handle.close();
  }
}
