/** Waiting that ends: every wait has a deadline, says what it waited for, and gives way to an interruption. */
import { setTimeout as delay } from 'node:timers/promises';

/** Something the demo waited for did not happen, or was not as it must be. */
export class DemoError extends Error {
  override readonly name = 'DemoError';
}

/** Ctrl-C, or the end of the terminal. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

export interface WaitOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
  readonly everyMs?: number;
}

const TIMEOUT_MS = 60_000;
const EVERY_MS = 50;

/**
 * Probes until there is an answer. Errors: `DemoError` after `timeoutMs` (default 60 s), the abort reason, and whatever
 * the probe throws: a probe that may fail for a while says so by answering `undefined`.
 */
export async function until<T>(
  what: string,
  probe: () => T | undefined | Promise<T | undefined>,
  options: WaitOptions,
): Promise<T> {
  const { signal, timeoutMs = TIMEOUT_MS, everyMs = EVERY_MS } = options;
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    signal.throwIfAborted();
    const found = await probe();
    if (found !== undefined) return found;
    if (Date.now() > deadline)
      throw new DemoError(`waited ${String(Math.round(timeoutMs / 1000))} s for ${what}`);
    await delay(everyMs);
  }
}
