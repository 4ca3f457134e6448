import { randomUUID } from 'node:crypto';
import { link, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { GitError } from '../../domain/base/errors.js';
import { errnoOf } from '../system/errno.js';
import { startTimeOf } from '../system/process-identity.js';

const POLL_MS = 25;
const WAIT_MS = 5 * 60_000;
/** Age after which a lock of another machine or process namespace counts as left behind. */
const FOREIGN_STALE_MS = 30 * 60_000;

/**
 * One writer per repository: a queue in this process, a lock file between processes. A lock whose process is gone is
 * taken over. git's own ref locks stand behind it, so the worst of a wrong take-over is a failed fetch.
 */
export class RepositoryLocks {
  readonly #queues = new Map<string, Promise<unknown>>();

  /** Errors: those of `work`; `GitError` (retryable) when another process holds the lock for five minutes. */
  async exclusively<T>(lockFile: string, work: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(lockFile) ?? Promise.resolve();
    const mine = before.catch(() => undefined).then(() => withLockFile(lockFile, work));
    this.#queues.set(lockFile, mine);
    try {
      return await mine;
    } finally {
      if (this.#queues.get(lockFile) === mine) this.#queues.delete(lockFile);
    }
  }
}

async function withLockFile<T>(lockFile: string, work: () => Promise<T>): Promise<T> {
  await acquire(lockFile);
  try {
    return await work();
  } finally {
    await unlink(lockFile).catch(() => undefined);
  }
}

async function acquire(lockFile: string): Promise<void> {
  const claim = `${lockFile}.${randomUUID()}`;
  await writeFile(claim, await ownerText(process.pid), { mode: 0o600 });
  try {
    const deadline = Date.now() + WAIT_MS;
    for (;;) {
      // link() is atomic and brings the content with it: nobody sees a lock without its owner.
      if (await succeeds(link(claim, lockFile), 'EEXIST')) return;
      if (await isStale(lockFile)) {
        // Of several that see it stale only one can rename it.
        await succeeds(rename(lockFile, `${claim}.stale`), 'ENOENT');
        await unlink(`${claim}.stale`).catch(() => undefined);
      } else if (Date.now() > deadline) {
        throw new GitError(`another process has held ${lockFile} for five minutes`, true);
      } else {
        await sleep(POLL_MS);
      }
    }
  } finally {
    await unlink(claim).catch(() => undefined);
  }
}

async function isStale(lockFile: string): Promise<boolean> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(lockFile, 'utf8'), stat(lockFile)]);
    const [host, pid] = text.split('\n');
    if (host !== hostname()) return Date.now() - mtimeMs > FOREIGN_STALE_MS;
    return text !== (await ownerText(Number(pid)));
  } catch {
    // Released meanwhile.
    return false;
  }
}

/** Host, process id and the process's start time, which tells a process from a later one with the same id. */
async function ownerText(pid: number): Promise<string> {
  return `${hostname()}\n${String(pid)}\n${(await startTimeOf(pid)) ?? 'gone'}\n`;
}

async function succeeds(action: Promise<unknown>, expectedCode: string): Promise<boolean> {
  try {
    await action;
    return true;
  } catch (error) {
    if (errnoOf(error) === expectedCode) return false;
    throw error;
  }
}
