import { setTimeout as sleep } from 'node:timers/promises';
import { ForgeHttpError } from '../../domain/errors.js';

export interface RetryPolicy {
  /** Attempts in all, the first included. */
  readonly tries: number;
  /** Doubled with each attempt, milliseconds. */
  readonly baseMs: number;
  /** No wait is longer, whatever the server's Retry-After says. Milliseconds. */
  readonly capMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = { tries: 4, baseMs: 250, capMs: 30_000 };

/** Milliseconds asked for by a Retry-After header (RFC 9110 10.2.3: seconds or an HTTP date), if it can be read. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header.trim()) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Wait before attempt `attempt + 1`: the server's wish, else exponential with full jitter over its upper half. */
export function retryDelayMs(
  policy: RetryPolicy,
  attempt: number,
  asked: number | undefined,
  random = Math.random,
): number {
  if (asked !== undefined) return Math.min(asked, policy.capMs);
  const ceiling = Math.min(policy.baseMs * 2 ** (attempt - 1), policy.capMs);
  return ceiling / 2 + (random() * ceiling) / 2;
}

export async function waitBeforeRetry(policy: RetryPolicy, attempt: number, asked?: number): Promise<void> {
  await sleep(retryDelayMs(policy, attempt, asked));
}

/**
 * Makes a creation repeatable where the forge has no idempotency key: looks for the thing before every attempt, so
 * an answer lost after the forge acted doesn't create it twice. A 409 means it is there and is looked for again.
 */
export async function createOnce<T>(
  policy: RetryPolicy,
  find: () => Promise<T | undefined>,
  create: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const found = await find();
    if (found !== undefined) return found;
    try {
      return await create();
    } catch (error) {
      const again = error instanceof ForgeHttpError && (error.retryable || error.status === 409);
      if (!again || attempt >= policy.tries) throw error;
    }
    await waitBeforeRetry(policy, attempt);
  }
}
