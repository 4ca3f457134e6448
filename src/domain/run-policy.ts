/** The operator's settings as they were when the life began. Milliseconds. */
export interface RunPolicy {
  readonly watchdogMs: number;
  readonly turnTimeoutMs: number;
  readonly doneGraceMs: number;
  readonly nudges: number;
  readonly wakesPerHour: number;
  /**
   * Beyond these in one execution the turn that runs is stopped: far below where the server ends an execution (51,200
   * events; 10,000 signals, which come first where a workflow task takes several), so that it can still be settled.
   */
  readonly maxEvents: number;
  readonly maxSignals: number;
}

export const DEFAULT_POLICY: RunPolicy = {
  watchdogMs: 30 * 60_000,
  turnTimeoutMs: 60 * 60_000,
  doneGraceMs: 20_000,
  nudges: 1,
  wakesPerHour: 10,
  maxEvents: 30_000,
  maxSignals: 8_000,
};
