import type { RunPolicy } from '../domain/run/run-policy.js';

/** What an execution has taken in so far. */
export interface HistoryUse {
  readonly events: number;
  /** Signals received by this execution. */
  readonly signals: number;
}

export function isHistoryFull(
  { events, signals }: HistoryUse,
  { maxEvents, maxSignals }: Pick<RunPolicy, 'maxEvents' | 'maxSignals'>,
): boolean {
  return events > maxEvents || signals > maxSignals;
}
