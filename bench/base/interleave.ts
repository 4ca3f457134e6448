/** Calls timed one at a time, several ways taking turns, so that whatever loads the machine loads them all. */
import { median, short } from './figure.js';

/**
 * Each way `count` times; which one comes first moves on with every turn. Milliseconds of each call, in order.
 * Errors: the first one of any call.
 */
export async function interleaved<W extends string>(
  ways: readonly W[],
  calls: Readonly<Record<W, () => Promise<void>>>,
  count: number,
  now: () => number = () => performance.now(),
): Promise<Readonly<Record<W, number[]>>> {
  const times = new Map<W, number[]>(ways.map((way) => [way, []]));
  for (let turn = 0; turn < count; turn += 1) {
    const first = turn % ways.length;
    for (const way of [...ways.slice(first), ...ways.slice(0, first)]) {
      const began = now();
      await calls[way]();
      times.get(way)?.push(now() - began);
    }
  }
  return Object.fromEntries(times) as Record<W, number[]>;
}

/**
 * The smallest value that at least `share` of the values do not exceed (nearest rank).
 * Errors: `RangeError` for no values, or for what is no number.
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const found = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (found === undefined || !sorted.every(Number.isFinite))
    throw new RangeError('no percentile: nothing was measured');
  return found;
}

/** `median 3.10, 95 % 4.20, 99 % 5.02, most 9.10 ms` */
export function spread(values: readonly number[]): string {
  const [p95, p99, most] = [0.95, 0.99, 1].map((share) => short(percentile(values, share)));
  return `median ${short(median(values))}, 95 % ${String(p95)}, 99 % ${String(p99)}, most ${String(most)} ms`;
}
