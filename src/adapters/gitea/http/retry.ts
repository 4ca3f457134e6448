import { setTimeout as sleep } from 'node:timers/promises';
import { ForgeHttpError } from '../../../domain/base/errors.js';

export interface RetryPolicy {
  /** Attempts in all, the first included. */
  readonly tries: number;
  /** Doubled with each attempt, milliseconds. */
  readonly baseMs: number;
  /** No wait is longer, whatever the server's Retry-After says. Milliseconds. */
  readonly capMs: number;
  /** Waits that many milliseconds. */
  readonly sleep: (ms: number) => Promise<unknown>;
}

export const DEFAULT_RETRY: RetryPolicy = { tries: 4, baseMs: 250, capMs: 30_000, sleep };

/** Wait before attempt `attempt + 1`: the server's wish, else exponential with full jitter over its upper half. */
export function retryDelayMs(
  policy: Pick<RetryPolicy, 'baseMs' | 'capMs'>,
  attempt: number,
  asked: number | undefined,
  random = Math.random,
): number {
  if (asked !== undefined) return Math.min(asked, policy.capMs);
  const ceiling = Math.min(policy.baseMs * 2 ** (attempt - 1), policy.capMs);
  return ceiling / 2 + (random() * ceiling) / 2;
}

export async function waitBeforeRetry(policy: RetryPolicy, attempt: number, asked?: number): Promise<void> {
  await policy.sleep(retryDelayMs(policy, attempt, asked));
}

export interface Creation<T> {
  /** What is there of it, oldest first: one, none, or the same thing several times. */
  find(): Promise<readonly T[]>;
  create(): Promise<T>;
  /** Takes away a younger one; what is gone already is fine. */
  remove(duplicate: T): Promise<void>;
}

/**
 * Makes a creation repeatable where the forge has no idempotency key: looks for the thing before every attempt, so
 * an answer lost after the forge acted doesn't create it twice. A 409 means it is there and is looked for again.
 *
 * Two callers at once both find nothing and both create. Therefore everyone looks again afterwards and takes away all
 * but the oldest: whoever's creation the forge carried out last sees both, and nobody ever removes the oldest. What
 * the forge carries out later still, for a caller who has gone, is taken away by the next call.
 */
export async function createOnce<T>(policy: RetryPolicy, creation: Creation<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const there = await oldestOf(creation);
    if (there !== undefined) return there;
    try {
      const made = await creation.create();
      return (await oldestOf(creation)) ?? made;
    } catch (error) {
      const again = error instanceof ForgeHttpError && (error.retryable || error.status === 409);
      if (!again || attempt >= policy.tries) throw error;
      await waitBeforeRetry(policy, attempt, error.retryAfterMs);
    }
  }
}

async function oldestOf<T>(creation: Creation<T>): Promise<T | undefined> {
  const [oldest, ...younger] = await creation.find();
  for (const duplicate of younger) await removeIfAllowed(() => creation.remove(duplicate));
  return oldest;
}

/** What we asked for is there once at least: that we may not tidy up is no reason to say that it failed. */
async function removeIfAllowed(remove: () => Promise<void>): Promise<void> {
  try {
    await remove();
  } catch (error) {
    if (!(error instanceof ForgeHttpError) || error.retryable) throw error;
  }
}
