/** The operator's settings as they were when the life began. Milliseconds. */
export interface RunPolicy {
  readonly watchdogMs: number;
  readonly turnTimeoutMs: number;
  readonly doneGraceMs: number;
  readonly nudges: number;
  readonly wakesPerHour: number;
}

export const DEFAULT_POLICY: RunPolicy = {
  watchdogMs: 30 * 60_000,
  turnTimeoutMs: 60 * 60_000,
  doneGraceMs: 20_000,
  nudges: 1,
  wakesPerHour: 10,
};
