import { GitError } from '../../domain/base/errors.js';
import { OneByOne } from '../../domain/base/one-by-one.js';
import { whileLocked } from '../system/lock-file.js';

const WAIT_MS = 5 * 60_000;

/**
 * One writer per repository: a queue in this process, a lock file between processes. git's own ref locks stand behind it, so
 * the worst of a wrong take-over is a failed fetch.
 */
export class RepositoryLocks {
  readonly #oneByOne = new OneByOne();

  /** Errors: those of `work`; `GitError` (retryable) when another process holds the lock for five minutes. */
  async exclusively<T>(lockFile: string, work: () => Promise<T>): Promise<T> {
    const held = (): GitError => new GitError(`another process has held ${lockFile} for five minutes`, true);
    return this.#oneByOne.next(lockFile, () => whileLocked(lockFile, WAIT_MS, held, work));
  }
}
