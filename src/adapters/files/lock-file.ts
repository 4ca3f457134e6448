import { join } from 'node:path';
import { BotBottleError } from '../../domain/base/errors.js';
import { isLock, tryLock, type LockFile, type LockHolder } from '../system/lock-file.js';
import { ensureHome } from './directories.js';

/** One worker per `$BOT_BOTTLE_HOME`. Errors: `BotBottleError` naming the process, also as the reason of `lost`. */
export async function lockHome(home: string): Promise<LockFile> {
  await ensureHome(home);
  const file = join(home, 'worker.lock');
  const lockedBy = ({ pid, elsewhere }: LockHolder): BotBottleError => {
    const where = elsewhere ? ' in another container (or one that ended a moment ago)' : '';
    const problem = `a worker with process id ${String(pid)}${where} already uses this home: stop it first (${file})`;
    return new BotBottleError('home_locked', problem, false);
  };
  const lock = await tryLock(file, lockedBy);
  if (!isLock(lock)) throw lockedBy(lock);
  return lock;
}
