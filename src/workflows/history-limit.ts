import { DEFAULT_POLICY, type RunPolicy } from '../domain/run-policy.js';

/** What an execution has taken in so far. */
export interface HistoryUse {
  readonly events: number;
  /** Signals received by this execution. */
  readonly signals: number;
}

/** @param policy of a workflow that began with an earlier version: without limits of its own */
export function isHistoryFull(
  { events, signals }: HistoryUse,
  policy: Partial<Pick<RunPolicy, 'maxEvents' | 'maxSignals'>>,
): boolean {
  const { maxEvents, maxSignals } = { ...DEFAULT_POLICY, ...policy };
  return events > maxEvents || signals > maxSignals;
}
