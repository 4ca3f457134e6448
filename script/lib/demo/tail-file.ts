import { open } from 'node:fs/promises';

const MAX_BYTES = 1024 * 1024;

/** Reads a growing file line by line; a file that is not there yet has no lines. */
export class TailedFile {
  private offset = 0;
  private rest = Buffer.alloc(0);

  constructor(readonly file: string) {}

  /** Whole lines that were added since the last call. */
  async read(): Promise<string[]> {
    let handle;
    try {
      handle = await open(this.file, 'r');
    } catch {
      return [];
    }
    try {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, this.offset);
      this.offset += bytesRead;
      const text = Buffer.concat([this.rest, buffer.subarray(0, bytesRead)]);
      const end = text.lastIndexOf(0x0a) + 1;
      this.rest = Buffer.from(text.subarray(end));
      return text.subarray(0, end).toString('utf8').split('\n').slice(0, -1);
    } finally {
      await handle.close();
    }
  }
}
