/** What an execution has taken in so far. */
export interface HistoryUse {
  readonly events: number;
  /** Signals received by this execution. */
  readonly signals: number;
}

/**
 * Far below where the server ends an execution (51,200 events; 10,000 signals, which several of them in one workflow
 * task reach first), so that the turn that runs can still be stopped and settled. Between turns the history is cut.
 */
const MAX_EVENTS = 30_000;
const MAX_SIGNALS = 8_000;

export function isHistoryFull({ events, signals }: HistoryUse): boolean {
  return events > MAX_EVENTS || signals > MAX_SIGNALS;
}
