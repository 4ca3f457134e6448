import { retryAfterMs } from '../forge-http/retry.js';

/** What GitHub asks for when it names no time. */
const UNNAMED_WAIT_MS = 60_000;
const LIMIT_WORDS = /rate limit|abuse detection/i;

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Milliseconds to wait when an answer means "too many requests", `undefined` when it means something else. GitHub uses
 * 403 as well as 429, for the hourly limit (`x-ratelimit-remaining: 0` and the time of its reset, epoch seconds) and
 * for the secondary ones (Retry-After, or nothing but words). Source: docs.github.com, "Rate limits for the REST API".
 */
export function limitedForMs(
  status: number,
  headers: Headers,
  body: string,
  now: number,
): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const asked = retryAfterMs(one(headers['retry-after']), now);
  if (asked !== undefined) return asked;
  const reset = Number(one(headers['x-ratelimit-reset']));
  if (one(headers['x-ratelimit-remaining']) === '0' && Number.isSafeInteger(reset) && reset > 0)
    return Math.max(0, reset * 1000 - now);
  return status === 429 || LIMIT_WORDS.test(body) ? UNNAMED_WAIT_MS : undefined;
}

function one(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}
