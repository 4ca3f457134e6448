import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { BotBottleError } from '../../domain/base/errors.js';
import { ensureHome } from './directories.js';
import { errnoOf, unlessMissing } from '../system/errno.js';
import { ownIdentity, startTimeOf, type ProcessIdentity } from '../system/process-identity.js';
import { writeWhole } from '../system/write-file.js';

/** Another worker has this home. */
export class HomeLockedError extends BotBottleError {
  constructor(
    readonly pid: number,
    file: string,
    elsewhere: boolean,
  ) {
    const where = elsewhere ? ' in another container (or one that ended a moment ago)' : '';
    super(
      'home_locked',
      `a worker with process id ${String(pid)}${where} already uses this home: stop it first (${file})`,
      false,
    );
  }
}

export interface HomeLock {
  /** Aborts when the lock was taken over: stop working at once. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

const holderSchema = z.object({
  pid: z.int().positive(),
  startTime: z.string(),
  bootId: z.string(),
  pidNamespace: z.string(),
  token: z.string(),
});
type Holder = z.infer<typeof holderSchema>;

/** The holder touches its lock this often; one of another container is stale after four times that. Milliseconds. */
const TOUCH_MS = 5_000;
const STALE_MS = 4 * TOUCH_MS;
/** Two that replace the same stale lock at once: the later one wins, and by then the earlier one looks again. */
const CONFIRM_MS = 100;

/**
 * One worker per `$BOT_BOTTLE_HOME`. Node has no flock, so it is a file with the holder's process id and start time; a
 * holder that no longer lives is replaced.
 * Errors: `HomeLockedError` naming the process.
 */
export async function lockHome(home: string): Promise<HomeLock> {
  await ensureHome(home);
  const file = join(home, 'worker.lock');
  const mine: Holder = { ...(await ownIdentity()), token: randomUUID() };
  const candidate = `${file}.${mine.token}`;
  await writeWhole(candidate, `${JSON.stringify(mine)}\n`, { mode: 0o600, durable: true });
  try {
    await take(file, candidate, mine);
  } finally {
    await rm(candidate, { force: true });
  }
  return hold(file, mine);
}

async function take(file: string, candidate: string, mine: Holder): Promise<void> {
  try {
    await link(candidate, file);
    return;
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
  const holder = await readHolder(file);
  if (holder !== undefined) await refuseLiving(holder, mine, file);
  await rename(candidate, file);
  await delay(CONFIRM_MS);
  const winner = await readHolder(file);
  if (winner?.token !== mine.token) throw new HomeLockedError(winner?.pid ?? 0, file, false);
}

async function refuseLiving(holder: Holder, mine: ProcessIdentity, file: string): Promise<void> {
  if (holder.bootId !== mine.bootId) return;
  if (holder.pidNamespace === mine.pidNamespace) {
    if ((await startTimeOf(holder.pid)) === holder.startTime)
      throw new HomeLockedError(holder.pid, file, false);
    return;
  }
  const touched = (await unlessMissing(stat(file)))?.mtimeMs ?? 0;
  if (Date.now() - touched < STALE_MS) throw new HomeLockedError(holder.pid, file, true);
}

/** `undefined` when it is gone or makes no sense: then nobody can be asked. */
async function readHolder(file: string): Promise<Holder | undefined> {
  const content = await unlessMissing(readFile(file, 'utf8'));
  if (content === undefined) return undefined;
  try {
    return holderSchema.safeParse(JSON.parse(content)).data;
  } catch {
    return undefined;
  }
}

function hold(file: string, mine: Holder): HomeLock {
  const lost = new AbortController();
  const isMine = async (): Promise<boolean> => (await readHolder(file))?.token === mine.token;
  const touch = async (): Promise<void> => {
    if (await isMine()) await utimes(file, new Date(), new Date());
    else lost.abort(new HomeLockedError((await readHolder(file))?.pid ?? 0, file, false));
  };
  const timer = setInterval(() => {
    // A disk that fails for a moment is no other worker.
    touch().catch(() => undefined);
  }, TOUCH_MS);
  timer.unref();
  return {
    lost: lost.signal,
    async release() {
      clearInterval(timer);
      if (await isMine()) await rm(file, { force: true });
    },
  };
}
