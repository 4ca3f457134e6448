import type { IncomingHttpHeaders } from 'node:http';
import type { ModelTrouble } from '../../../domain/run/model-use.js';
import type { JsonObject } from './json-body.js';
import { durationOf, one, retryAfter, timeOf, troubleByStatus, troubleUntil } from './waiting-time.js';

/** Errors that asking again does not cure, whatever their status. */
const FINAL: Readonly<Record<string, number>> = {
  insufficient_quota: 429,
  billing_not_active: 429,
  usage_not_included: 429,
  invalid_request_error: 400,
  invalid_prompt: 400,
  context_length_exceeded: 400,
  invalid_api_key: 401,
  model_not_found: 404,
};
const LIMITS: readonly unknown[] = ['rate_limit_exceeded', 'rate_limit_error', 'usage_limit_reached'];

interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** What an error of OpenAI's means. @param answered `null` for one within a stream that began well */
export function openaiTrouble(error: JsonObject, answered: Answered | null, now: number): ModelTrouble {
  const names = [error['code'], error['type']];
  const final = names.flatMap((name) => (typeof name === 'string' ? (FINAL[name] ?? []) : []))[0];
  const isLimit = names.some((name) => LIMITS.includes(name));
  const status = answered?.status ?? (isLimit ? 429 : 500);
  if (final !== undefined && (answered === null || final === 429))
    return { kind: 'refused', status: answered?.status ?? final };
  if (status === 429) return troubleUntil(timesOf(error, answered?.headers ?? {}, now), now);
  return troubleByStatus(status);
}

function timesOf(error: JsonObject, headers: IncomingHttpHeaders, now: number): (number | undefined)[] {
  const seconds = error['resets_in_seconds'];
  const resets = ['requests', 'tokens'].map((what) => {
    const wait = durationOf(one(headers[`x-ratelimit-reset-${what}`]));
    // Of the other limit there is some left: it is not what was hit.
    return wait !== undefined && one(headers[`x-ratelimit-remaining-${what}`]) === '0'
      ? now + wait
      : undefined;
  });
  return [
    timeOf(error['resets_at']),
    typeof seconds === 'number' ? now + seconds * 1000 : undefined,
    retryAfter(headers, now),
    ...resets,
  ];
}
