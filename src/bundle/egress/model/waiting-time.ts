import type { IncomingHttpHeaders } from 'node:http';
import { MAX_LIMIT_MS, type ModelTrouble } from '../../../domain/run/model-use.js';

/** Who has to wait no longer than this meets no limit of use, but a full minute or a busy server, ms. */
const SHORT_MS = 60_000;

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(?:[0-9]+(?:\.[0-9]+)?(?:ms|[smhd]))+$/;
const NUMBER = /^[0-9]{1,15}(?:\.[0-9]+)?$/;

/** What a bad status means that says nothing of a time. */
export function troubleByStatus(status: number): ModelTrouble {
  const isBusy = status === 408 || status === 429 || status >= 500;
  return { kind: isBusy ? 'overloaded' : 'refused', status };
}

/** What a 429 means that names these times, epoch milliseconds. The latest counts. */
export function troubleUntil(times: readonly (number | undefined)[], now: number): ModelTrouble {
  const latest = Math.max(0, ...times.map((time) => time ?? 0));
  return latest > now + SHORT_MS
    ? { kind: 'limited', until: Math.ceil(Math.min(latest, now + MAX_LIMIT_MS)) }
    : troubleByStatus(429);
}

/** `Retry-After` (seconds or a date) and `retry-after-ms`, as epoch milliseconds. */
export function retryAfter(headers: IncomingHttpHeaders, now: number): number | undefined {
  const ms = one(headers['retry-after-ms']);
  if (ms !== undefined && NUMBER.test(ms)) return now + Number(ms);
  const text = one(headers['retry-after']);
  if (text === undefined) return undefined;
  if (NUMBER.test(text)) return now + Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : date;
}

/** Seconds since 1970, or a date as RFC 3339 writes it, as epoch milliseconds. */
export function timeOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value * 1000 : undefined;
  if (typeof value !== 'string') return undefined;
  if (NUMBER.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : date;
}

/** `6m0s`, `8.64s`, `12ms` or seconds, in milliseconds. */
export function durationOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (NUMBER.test(text)) return Number(text) * 1000;
  if (!DURATION.test(text) || text.length > 40) return undefined;
  return [...text.matchAll(/([0-9.]+)(ms|[smhd])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? ''] ?? 0),
    0,
  );
}

export function one(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value.trim() : value?.[0]?.trim();
}
