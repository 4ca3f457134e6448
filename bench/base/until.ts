import { setTimeout as delay } from 'node:timers/promises';

/** Looks every 20 ms until the answer is there. Errors: after `timeoutMs`, with what was waited for. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
  timeoutMs = 60_000,
): Promise<T> {
  for (const deadline = Date.now() + timeoutMs; ;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`waited ${String(timeoutMs)} ms for ${what}`);
    await delay(20);
  }
}

/** Errors: when the work is not done in time; it goes on unheard then. */
export async function within<T>(what: string, timeoutMs: number, work: Promise<T>): Promise<T> {
  const timer = new AbortController();
  try {
    const late = delay(timeoutMs, undefined, { signal: timer.signal }).then(() => {
      throw new Error(`${what} was not done within ${String(timeoutMs / 1000)} s`);
    });
    late.catch(() => undefined);
    return await Promise.race([work, late]);
  } finally {
    timer.abort();
  }
}
