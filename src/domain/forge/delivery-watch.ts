/** What came since: with the right signature, only with another or none, or nothing. */
export type Seen = 'verified' | 'unsigned' | 'nothing';

export interface Expectation {
  /** Errors: the signal's reason, once it aborts. */
  arrived(withinMs: number, ending: AbortSignal): Promise<Seen>;
}

/** Sees deliveries arrive where the webhook listens: by the counters of one that runs, else by listening itself. */
export type DeliveryWatch =
  | {
      /** `running`: a webhook is there and counts. `own`: nobody was, so this process listens. */
      readonly kind: 'running' | 'own';
      /** Counts what comes from the call on. */
      expect(): Promise<Expectation>;
      /** Whether what takes the deliveries has the very secret that is set. */
      sameSecret(): Promise<boolean>;
      close(): Promise<void>;
    }
  /** Neither is possible. */
  | { readonly kind: 'unavailable'; readonly reason: string };
