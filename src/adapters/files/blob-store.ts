import { readFile, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BotBottleError, InvalidInputError } from '../../domain/base/errors.js';
import type { BlobStore } from '../../domain/run/run-files.js';
import { ensurePrivate } from './directories.js';
import { unlessMissing } from '../../domain/base/errno.js';
import { syncDirectory, writeWhole } from '../system/write-file.js';
import { sha256 } from '../system/sha256.js';

const REFERENCE = /^[0-9a-f]{64}$/;

/** Content-addressed files below `$BOT_BOTTLE_HOME/blobs/ab/cdef…`; writing the same content twice is one file. */
export class LocalBlobStore implements BlobStore {
  readonly #root: string;

  constructor(home: string) {
    this.#root = join(home, 'blobs');
  }

  async put(content: string | Uint8Array): Promise<string> {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
    const ref = sha256(bytes);
    const file = this.#file(ref);
    // Touched, so that `gc` knows that it is in use again.
    if ((await unlessMissing(stat(file)))?.size === bytes.length && (await touched(file))) return ref;
    const directory = dirname(file);
    const isNew = (await unlessMissing(stat(directory))) === undefined;
    await ensurePrivate(this.#root);
    await ensurePrivate(directory);
    if (isNew) await Promise.all([this.#root, dirname(this.#root)].map(syncDirectory));
    await writeWhole(file, bytes, { mode: 0o600, durable: true });
    return ref;
  }

  async getText(ref: string): Promise<string> {
    const content = await unlessMissing(readFile(this.#file(ref)));
    if (content !== undefined && sha256(content) === ref) return content.toString('utf8');
    const problem =
      content === undefined
        ? `there is no blob ${ref} below ${this.#root}`
        : `the content of ${this.#file(ref)} is not what it was`;
    // History refers to it: no repetition brings it back.
    throw new BotBottleError('blob', problem, false);
  }

  #file(ref: string): string {
    if (!REFERENCE.test(ref))
      throw new InvalidInputError(`not a blob's reference: ${JSON.stringify(ref.slice(0, 100))}`);
    return join(this.#root, ref.slice(0, 2), ref.slice(2));
  }
}

/** False when it went meanwhile. */
async function touched(file: string): Promise<boolean> {
  const now = new Date();
  return (await unlessMissing(utimes(file, now, now).then(() => true))) ?? false;
}
