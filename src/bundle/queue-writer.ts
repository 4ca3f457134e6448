import { existsSync, readdirSync, rmSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { QUEUE_FILE_NAME, QUEUE_ID, QUEUE_MESSAGE_BYTES, type QueueBody } from '../domain/run/queue.js';
import { InvalidInputError } from '../domain/base/errors.js';

const SEQUENCE_DIGITS = 12;
const FILE_MODE = 0o644;
/** Begins like nothing the worker takes. */
const TEMPORARY_PREFIX = '.writing-';

/**
 * Writes messages to the worker into the queue directory, one file each: whole and synced before the name that the
 * worker looks for exists, the directory synced before the call resolves.
 *
 * Names sort in the order written, also over restarts: numbering goes on above what lies in the directory and above
 * the clock in hundredths of a second (12 digits last until 2286).
 */
export class QueueWriter {
  readonly #directory: string;
  #next: number;
  #last: Promise<unknown> = Promise.resolve();

  /** @param now epoch milliseconds. Errors: the file system's own, when the directory cannot be read. */
  constructor(directory: string, now: () => number) {
    this.#directory = directory;
    const names = readdirSync(directory);
    for (const name of names)
      if (name.startsWith(TEMPORARY_PREFIX)) rmSync(join(directory, name), { force: true });
    const taken = names
      .filter((name) => QUEUE_FILE_NAME.test(name))
      .map((name) => Number(name.slice(0, SEQUENCE_DIGITS)));
    this.#next = Math.max(Math.floor(now() / 10), ...taken.map((sequence) => sequence + 1));
  }

  /**
   * Durable when it resolves; one after another in the order of the calls.
   * @param id the message's id, `QUEUE_ID`
   * @returns the name of its file
   * Errors: `InvalidInputError` for an id or a size that the worker would not take; the file system's own.
   */
  write(id: string, body: QueueBody): Promise<string> {
    const content = JSON.stringify(body);
    if (!QUEUE_ID.test(id)) return Promise.reject(new InvalidInputError(`not a message id: ${id}`));
    if (Buffer.byteLength(content, 'utf8') > QUEUE_MESSAGE_BYTES) {
      return Promise.reject(
        new InvalidInputError(`a message has at most ${String(QUEUE_MESSAGE_BYTES)} bytes`),
      );
    }
    const written = this.#last.then(() => this.#writeFile(id, content));
    this.#last = written.catch(() => undefined);
    return written;
  }

  /** Takes a message back, if the worker has not taken it yet. */
  async withdraw(fileName: string): Promise<void> {
    await rm(join(this.#directory, fileName), { force: true });
  }

  /** Whether the worker has not taken it yet. */
  isWaiting(fileName: string): boolean {
    return existsSync(join(this.#directory, fileName));
  }

  async #writeFile(id: string, content: string): Promise<string> {
    const temporary = join(this.#directory, TEMPORARY_PREFIX + id);
    const fileName = `${String(this.#next).padStart(SEQUENCE_DIGITS, '0')}-${id}.json`;
    this.#next += 1;
    try {
      const file = await open(temporary, 'w', FILE_MODE);
      try {
        await file.writeFile(content, 'utf8');
        // Whatever the umask is: the worker is another user.
        await file.chmod(FILE_MODE);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, join(this.#directory, fileName));
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    await syncDirectory(this.#directory);
    return fileName;
  }
}

/**
 * Writes messages of which each says all that the last one said, and takes that one back: a worker that was away must not
 * find hundreds of files, which freeze a run.
 */
export function latestOnly(queue: Pick<QueueWriter, 'write' | 'withdraw'>): QueueWriter['write'] {
  let last: string | undefined;
  return async (id, body) => {
    const before = last;
    last = await queue.write(id, body);
    if (before !== undefined) await queue.withdraw(before);
    return last;
  };
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
