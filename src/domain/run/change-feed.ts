import type { RecordSource } from '../provenance/record.js';
import type { RunStatus } from './rows.js';

/** What has happened, for who follows it. */
export type Change =
  /** A row of the record was written. */
  | {
      readonly kind: 'recorded';
      /** Of its entry in the ledger. */
      readonly seq: number;
      readonly slug: string;
      readonly source: RecordSource;
      /** The values of the row's key, as JSON. */
      readonly key: string;
    }
  /** The run's state row was written. */
  | {
      readonly kind: 'run';
      readonly slug: string;
      readonly status: RunStatus;
      readonly phase: string;
      readonly reason: string | null;
      readonly prNumber: number | null;
    };

/** A moment in the feed. */
export interface FeedPlace {
  /** The last entry of the ledger before it. */
  readonly seq: number;
  /** Of the last state row before it, epoch milliseconds. */
  readonly at: number;
}

/** Changes of all runs. Errors: `StoreError`. */
export interface ChangeFeed {
  /** After everything that there is. */
  latest(): Promise<FeedPlace>;
  /**
   * A few hundred changes after a place, and the place after them. Each row of the record comes once. The state of a run is the
   * one it has now; one that has just changed may come twice, and one that is stamped later than `now` waits until then, so
   * that changes after the clock was set back come at once.
   * @param now epoch milliseconds
   */
  since(
    place: FeedPlace,
    now: number,
  ): Promise<{ readonly changes: readonly Change[]; readonly place: FeedPlace }>;
}
