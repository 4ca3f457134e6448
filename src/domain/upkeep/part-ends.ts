/** Parts of `up` that end by themselves: how often they are started again, and what is remembered of it. */

/** How a part of `up` ended without having been asked to. */
export interface PartEnd {
  /** `worker`, `webhook`, `Temporal`. */
  readonly part: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** For people: a signal, an exit code, the message of an error; escaped, and without secrets. */
  readonly reason: string;
  /** It was started again; otherwise `up` ended with it. */
  readonly again: boolean;
}

/** So many are remembered. */
export const PART_ENDS_KEPT = 20;
/** A part that ends once more than so often within this time is not started again. */
export const MOST_RESTARTS = 5;
export const RESTARTS_WITHIN_MS = 10 * 60_000;
const FIRST_PAUSE_MS = 250;

/**
 * Milliseconds to wait before a part is started again, each time twice as long as the last; `null` when it has ended too often.
 * @param ends when it ended, epoch milliseconds, the last end among them
 */
export function pauseBeforeRestart(ends: readonly number[], now: number): number | null {
  const recent = ends.filter((at) => now - at < RESTARTS_WITHIN_MS).length;
  return recent > MOST_RESTARTS ? null : FIRST_PAUSE_MS * 2 ** Math.max(0, recent - 1);
}

/** What is remembered after one more. */
export function rememberEnd(known: readonly PartEnd[], end: PartEnd): readonly PartEnd[] {
  return [...known, end].slice(-PART_ENDS_KEPT);
}
