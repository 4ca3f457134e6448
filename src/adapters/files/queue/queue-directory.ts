import { lstat, mkdir, opendir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidInputError } from '../../../domain/base/errors.js';
import type { QueueDirectory, QueueRead, TurnHeader } from '../../../domain/run/queue-directory.js';
import {
  QUEUE_DRAIN_LIMIT,
  QUEUE_FILE_NAME,
  QUEUE_ID,
  QUEUE_MESSAGE_BYTES,
  type QueueAnswer,
  type QueueMessage,
} from '../../../domain/run/queue.js';
import { unlessMissing } from '../../../domain/base/errno.js';
import { readHostileFile } from './open-hostile.js';
import { parseQueueBody } from './queue-body.js';
import { takeAway } from './refuse-file.js';
import { runLayout } from '../run/run-layout.js';
import { watchDirectory } from './watch-directory.js';
import { syncDirectory, writeWhole } from '../../system/write-file.js';

export interface QueueDirectoryOptions {
  /** `$BOT_BOTTLE_HOME` */
  readonly home: string;
  /** User id that messages must belong to. Default: the bundle's, 10001. */
  readonly bundleUid?: number;
}

const BUNDLE_UID = 10001;
/** Names looked at in a directory that may have millions. */
const SCAN_LIMIT = QUEUE_DRAIN_LIMIT * 4;
const SEQUENCE_LENGTH = '000000000000-'.length;
/** The bundle is writing it: not ours yet, but it counts. */
const UNFINISHED_PREFIX = '.writing-';

/** The queue on the local disk. `out/` is hostile ground: nothing there is believed, whatever is wrong is taken away. */
export class LocalQueueDirectory implements QueueDirectory {
  readonly #home: string;
  readonly #bundleUid: number;

  constructor({ home, bundleUid = BUNDLE_UID }: QueueDirectoryOptions) {
    this.#home = home;
    this.#bundleUid = bundleUid;
  }

  async read(slug: string): Promise<QueueRead> {
    const layout = runLayout(this.#home, slug);
    const names = await scan(layout.queueOut);
    const flood = names.length > QUEUE_DRAIN_LIMIT;
    const messages: QueueMessage[] = [];
    const refused: { fileName: string; reason: string }[] = [];
    for (const fileName of names.sort().slice(0, QUEUE_DRAIN_LIMIT)) {
      if (fileName.startsWith(UNFINISHED_PREFIX)) continue;
      const file = join(layout.queueOut, fileName);
      const message = await this.#readMessage(slug, file, fileName);
      if (message === undefined) continue;
      if (typeof message !== 'string') {
        messages.push(message);
        continue;
      }
      await takeAway(pathOf(layout.queueOut, fileName), layout.queueRejected);
      refused.push({ fileName: JSON.stringify(fileName.slice(0, 100)), reason: message });
    }
    return { messages, flood, refused };
  }

  async acknowledge(slug: string, fileName: string): Promise<void> {
    const { queueOut } = runLayout(this.#home, slug);
    // By now it may be anything, such as a directory.
    await takeAway(join(queueOut, messageName(fileName)), null);
    await syncDirectory(queueOut);
  }

  async setAside(slug: string, fileName: string): Promise<void> {
    const layout = runLayout(this.#home, slug);
    const kept = join(layout.archive, 'set-aside');
    await mkdir(kept, { recursive: true, mode: 0o700 });
    const file = join(layout.queueOut, messageName(fileName));
    if (await isOneFile(file)) await rename(file, join(kept, fileName));
    else await takeAway(file, layout.queueRejected);
  }

  async answer(slug: string, answer: QueueAnswer): Promise<void> {
    await this.#writeIn(slug, answerFile(answer.requestId), answer);
  }

  async retract(slug: string, requestId: string): Promise<void> {
    await rm(join(runLayout(this.#home, slug).queueIn, answerFile(requestId)), { force: true });
  }

  async writeTurnHeader(slug: string, header: TurnHeader): Promise<void> {
    await this.#writeIn(slug, 'turn.json', header);
  }

  watch(slug: string, onChange: () => void): () => void {
    return watchDirectory(runLayout(this.#home, slug).queueOut, onChange);
  }

  async archive(slug: string): Promise<void> {
    const layout = runLayout(this.#home, slug);
    const archive = join(layout.archive, 'queue');
    await mkdir(archive, { recursive: true, mode: 0o700 });
    for (const fileName of (await scan(layout.queueOut)).sort()) {
      const file = join(layout.queueOut, fileName);
      if (QUEUE_FILE_NAME.test(fileName) && (await isOneFile(file)))
        await rename(file, join(archive, fileName));
      else await takeAway(pathOf(layout.queueOut, fileName), layout.queueRejected);
    }
    for (const fileName of await scan(layout.queueIn)) {
      if (fileName.startsWith(UNFINISHED_PREFIX)) await rm(join(layout.queueIn, fileName), { force: true });
      else await rename(join(layout.queueIn, fileName), join(archive, `in-${fileName}`));
    }
    const rejected = join(layout.archive, 'queue-rejected');
    await mkdir(rejected, { recursive: true, mode: 0o700 });
    for (const name of await scan(layout.queueRejected)) {
      await rename(join(layout.queueRejected, name), join(rejected, name));
    }
    await syncDirectory(archive);
  }

  /** The message, or why it is none, or `undefined` when it is gone. */
  async #readMessage(
    slug: string,
    file: string,
    fileName: string,
  ): Promise<QueueMessage | string | undefined> {
    if (!QUEUE_FILE_NAME.test(fileName)) return 'not the name of a message';
    const read = await readHostileFile(file, this.#bundleUid, QUEUE_MESSAGE_BYTES);
    if (read.kind === 'gone') return undefined;
    if (read.kind === 'refused') return read.reason;
    const body = parseQueueBody(read.content);
    if (body === undefined) return 'not a message';
    if (body.slug !== slug) return 'names another run';
    return { fileName, id: fileName.slice(SEQUENCE_LENGTH, -'.json'.length), body };
  }

  async #writeIn(slug: string, fileName: string, value: unknown): Promise<void> {
    const { queueIn } = runLayout(this.#home, slug);
    await writeWhole(join(queueIn, fileName), JSON.stringify(value), { mode: 0o644, durable: true });
  }
}

/** Errors: `InvalidInputError`. */
function messageName(fileName: string): string {
  if (QUEUE_FILE_NAME.test(fileName)) return fileName;
  throw new InvalidInputError(`not a message: ${JSON.stringify(fileName)}`);
}

/** Small enough to keep, and nobody else's. */
async function isOneFile(file: string): Promise<boolean> {
  const found = await unlessMissing(lstat(file));
  return found?.isFile() === true && found.nlink === 1 && found.size <= QUEUE_MESSAGE_BYTES;
}

function answerFile(requestId: string): string {
  if (QUEUE_ID.test(requestId)) return `${requestId}.json`;
  throw new InvalidInputError(`not a request's id: ${JSON.stringify(requestId)}`);
}

/** Of a name as `scan` gives it. */
function pathOf(directory: string, fileName: string): Buffer {
  return Buffer.concat([Buffer.from(`${directory}/`, 'utf8'), Buffer.from(fileName, 'latin1')]);
}

/**
 * Names in the directory, in no order, at most `SCAN_LIMIT`; none when it is not there. A letter stands for a byte: a
 * hostile name need not be UTF-8, and must be found again.
 */
async function scan(directory: string): Promise<string[]> {
  const handle = await unlessMissing(opendir(directory, { encoding: 'latin1' }));
  if (handle === undefined) return [];
  const names: string[] = [];
  for await (const { name } of handle) {
    names.push(name);
    if (names.length >= SCAN_LIMIT) break;
  }
  return names;
}
