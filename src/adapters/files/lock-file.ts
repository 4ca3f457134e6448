import { join } from 'node:path';
import { BotBottleError } from '../../domain/base/errors.js';
import { isLock, tryLock, type LockFile, type LockHolder } from '../system/lock-file.js';
import { ensureHome } from './directories.js';

/** Another worker has this home. */
export class HomeLockedError extends BotBottleError {
  readonly pid: number;

  constructor({ pid, elsewhere }: LockHolder, file: string) {
    const where = elsewhere ? ' in another container (or one that ended a moment ago)' : '';
    super(
      'home_locked',
      `a worker with process id ${String(pid)}${where} already uses this home: stop it first (${file})`,
      false,
    );
    this.pid = pid;
  }
}

/** One worker per `$BOT_BOTTLE_HOME`. Errors: `HomeLockedError` naming the process, also as the reason of `lost`. */
export async function lockHome(home: string): Promise<LockFile> {
  await ensureHome(home);
  const file = join(home, 'worker.lock');
  const lockedBy = (holder: LockHolder): HomeLockedError => new HomeLockedError(holder, file);
  const lock = await tryLock(file, lockedBy);
  if (!isLock(lock)) throw lockedBy(lock);
  return lock;
}
