import type { FileHandle } from 'node:fs/promises';

/** Takes away the last line when a crash has cut it. Answers the size of what is whole. @param handle open for reading and appending */
export async function dropCutLine(handle: FileHandle): Promise<number> {
  const { size } = await handle.stat();
  let end = size;
  const piece = Buffer.alloc(4096);
  while (end > 0) {
    const from = Math.max(0, end - piece.length);
    const { bytesRead } = await handle.read(piece, 0, end - from, from);
    const newline = piece.subarray(0, bytesRead).lastIndexOf(0x0a);
    end = newline === -1 ? from : from + newline + 1;
    if (newline !== -1) break;
  }
  if (end < size) await handle.truncate(end);
  return end;
}
