import { open, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { unlessMissing } from '../../system/errno.js';
import { dropCutLine } from '../drop-cut-line.js';
import { syncDirectory } from '../../system/write-file.js';

/**
 * The names of the messages that were delivered, one a line: the marker between "delivered" and "deleted". A line cut
 * off by a crash is a name that was not delivered.
 */
export class DeliveredLog {
  readonly #file: string;
  #names = new Set<string>();
  #size = -1;

  constructor(file: string) {
    this.#file = file;
  }

  async names(): Promise<ReadonlySet<string>> {
    const size = (await unlessMissing(stat(this.#file)))?.size ?? 0;
    if (size !== this.#size) {
      const text = size === 0 ? '' : await readFile(this.#file, 'utf8');
      this.#names = new Set(text.split('\n').slice(0, -1));
      this.#size = Buffer.byteLength(text);
    }
    return this.#names;
  }

  /** On the disk when it resolves. */
  async add(name: string): Promise<void> {
    if ((await this.names()).has(name)) return;
    const handle = await open(this.#file, 'a+', 0o600);
    try {
      const size = await dropCutLine(handle);
      const line = `${name}\n`;
      await handle.appendFile(line);
      await handle.datasync();
      if (size === 0) await syncDirectory(dirname(this.#file));
      this.#names.add(name);
      // Otherwise somebody else wrote too, and the next look reads it all.
      if (size === this.#size) this.#size += line.length;
    } finally {
      await handle.close();
    }
  }
}
