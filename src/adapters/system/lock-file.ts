import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { isRecord, recordIn } from '../../domain/base/is-record.js';
import { errnoOf, unlessMissing } from '../../domain/base/errno.js';
import { ownIdentity, startTimeOf, type ProcessIdentity } from './process-identity.js';

/** Who has a lock that somebody else wants. */
export interface LockHolder {
  readonly pid: number;
  /** In another container, or in one that ended a moment ago. */
  readonly elsewhere: boolean;
}

export interface LockFile {
  /** Aborts when the lock was taken over: stop working at once. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

interface Holding extends ProcessIdentity {
  readonly token: string;
}

/** The holder touches its lock this often; one of another container is stale after four times that. Milliseconds. */
const TOUCH_MS = 5_000;
const STALE_MS = 4 * TOUCH_MS;
/** Two that replace the same stale lock at once: the later one wins, and by then the earlier one looks again. */
const CONFIRM_MS = 100;
const POLL_MS = 25;

/**
 * Tries once. Node has no flock, so it is a file with the holder's process id and start time; a holder that no longer lives is
 * replaced.
 * @param lostTo makes the reason for which `lost` aborts
 */
export async function tryLock(
  file: string,
  lostTo: (holder: LockHolder) => Error = ({ pid }) => new Error(`process ${String(pid)} took ${file}`),
): Promise<LockFile | LockHolder> {
  const mine: Holding = { ...(await ownIdentity()), token: randomUUID() };
  const seen = await read(file);
  const living = seen === undefined ? undefined : await livingHolder(seen, mine, file);
  if (living !== undefined) return living;
  const candidate = `${file}.${mine.token}`;
  try {
    await writeFile(candidate, `${JSON.stringify(mine)}\n`, { mode: 0o600 });
    // It is atomic and brings the content with it: nobody sees a lock without its holder.
    if (seen === undefined) await link(candidate, file);
    else if ((await read(file)) === seen) {
      await rename(candidate, file);
      await delay(CONFIRM_MS);
    }
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(candidate, { force: true });
  }
  const holder = await holderOf(file);
  return holder?.token === mine.token
    ? hold(file, mine, lostTo)
    : { pid: holder?.pid ?? 0, elsewhere: false };
}

/** Works as the only one, of all processes; waits for others up to `waitMs`. Errors: those of `work`; else `onHeld`'s. */
export async function whileLocked<T>(
  file: string,
  waitMs: number,
  onHeld: (holder: LockHolder) => Error,
  work: () => Promise<T>,
): Promise<T> {
  const deadline = Date.now() + waitMs;
  for (;;) {
    const lock = await tryLock(file);
    if (isLock(lock)) {
      try {
        return await work();
      } finally {
        await lock.release().catch(() => undefined);
      }
    }
    if (Date.now() > deadline) throw onHeld(lock);
    await delay(POLL_MS);
  }
}

export function isLock(outcome: LockFile | LockHolder): outcome is LockFile {
  return 'release' in outcome;
}

/** What makes no sense has no holder that lives: nobody can be asked. */
async function livingHolder(
  text: string,
  mine: ProcessIdentity,
  file: string,
): Promise<LockHolder | undefined> {
  const holder = parse(text);
  if (holder === undefined || holder.bootId !== mine.bootId) return undefined;
  const { pid } = holder;
  if (holder.pidNamespace === mine.pidNamespace)
    return (await startTimeOf(pid)) === holder.startTime ? { pid, elsewhere: false } : undefined;
  const touched = (await unlessMissing(stat(file)))?.mtimeMs ?? 0;
  return Date.now() - touched < STALE_MS ? { pid, elsewhere: true } : undefined;
}

function read(file: string): Promise<string | undefined> {
  return unlessMissing(readFile(file, 'utf8'));
}

function parse(text: string): Holding | undefined {
  const value = recordIn(text);
  return isHolding(value) ? value : undefined;
}

function isHolding(value: unknown): value is Holding {
  if (!isRecord(value)) return false;
  const words = ['startTime', 'bootId', 'pidNamespace', 'token'];
  const { pid } = value;
  return (
    typeof pid === 'number' &&
    Number.isSafeInteger(pid) &&
    pid > 0 &&
    words.every((name) => typeof value[name] === 'string')
  );
}

async function holderOf(file: string): Promise<Holding | undefined> {
  return parse((await read(file)) ?? '');
}

function hold(file: string, mine: Holding, lostTo: (holder: LockHolder) => Error): LockFile {
  const lost = new AbortController();
  const touch = async (): Promise<void> => {
    const holder = await holderOf(file);
    if (holder?.token === mine.token) await utimes(file, new Date(), new Date());
    else lost.abort(lostTo({ pid: holder?.pid ?? 0, elsewhere: false }));
  };
  const timer = setInterval(() => {
    // A disk that fails for a moment is no other process.
    touch().catch(() => undefined);
  }, TOUCH_MS);
  timer.unref();
  return {
    lost: lost.signal,
    async release() {
      clearInterval(timer);
      if ((await holderOf(file))?.token === mine.token) await rm(file, { force: true });
    },
  };
}
