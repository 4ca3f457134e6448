/** What the activity that watches a turn says of it with every heartbeat. */
export interface WatchedTurn {
  readonly slug: string;
  readonly turn: number;
  /** Epoch milliseconds, the host's clock; `null` while the turn has not begun. */
  readonly lastCheckinAt: number | null;
}

export interface WatchedTurns {
  /** The run's turn that is being watched now; `undefined` when none is. Errors: Temporal's. */
  of(workflowId: string): Promise<WatchedTurn | undefined>;
}
