import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../domain/base/message-of.js';
import { BotBottleError } from '../../domain/base/errors.js';

/** Before the second and the third try, milliseconds. */
const PAUSES_MS = [1_000, 4_000] as const;

/**
 * Does work on what an agent left. What fails on this machine is tried three times at most: it may be the agent's
 * making, and then it fails for ever. What is away (`BotBottleError.away`) comes back, and is left to the activity's own
 * retries. Errors: those of the work, final after the third try; the signal's.
 */
export async function atMostThrice<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (const pause of [...PAUSES_MS, undefined]) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || isAway(error) || isFinal(error)) throw error;
      if (pause === undefined) throw failedThrice(error);
      await delay(pause, undefined, { signal });
    }
  }
  throw new Error('unreachable');
}

export function isAway(error: unknown): error is BotBottleError {
  return error instanceof BotBottleError && error.away;
}

export function isFinal(error: unknown): boolean {
  return error instanceof BotBottleError && !error.retryable;
}

function failedThrice(cause: unknown): BotBottleError {
  const message = messageOf(cause);
  return new BotBottleError('failed_thrice', message, false, { cause });
}
