/**
 * The record of a run: the append-only rows that provenance is made of (`activities/rows` makes them), and one entry of a
 * ledger for each of them.
 */

/** Tables of the record, as an export names them. */
export type RecordSource = 'run' | 'turn' | 'operation' | 'operatorCommand' | 'proposal' | 'proposalDecision';

/** The columns that say which row it is. */
export const KEY_COLUMNS: Readonly<Record<RecordSource, readonly string[]>> = {
  run: ['slug'],
  turn: ['slug', 'turn', 'event'],
  operation: ['slug', 'id'],
  operatorCommand: ['id'],
  proposal: ['slug', 'id'],
  proposalDecision: ['slug', 'id'],
};

export const RECORD_SOURCES = Object.keys(KEY_COLUMNS) as readonly RecordSource[];

/** Stored values, a column each. What is a list or an object is JSON text, as it was written. */
export type Columns = Readonly<Record<string, string | number | null>>;

export interface RecordedRow {
  readonly source: RecordSource;
  readonly columns: Columns;
}

/** What is known of a row for good. Hashes are SHA-256, in hex, of canonical JSON (RFC 8785). */
export interface LedgerEntry {
  /** Among the entries of all runs, from 1, without gaps. */
  readonly seq: number;
  /** Empty for what belongs to no run. */
  readonly slug: string;
  /** Among the entries of the run, from 1, without gaps. */
  readonly n: number;
  readonly source: RecordSource;
  /** The values of the key's columns, as canonical JSON. */
  readonly key: string;
  /** Of the row's columns; those that are null are left out, so that a column that comes later changes no digest. */
  readonly digest: string;
  /** Hash of the run's entry before; of the first one, of the newest entry of all; empty where there was none. */
  readonly previous: string;
  /** Of everything above. */
  readonly hash: string;
}

/** A signature over a run's entries up to one of them. */
export interface Seal {
  readonly slug: string;
  /** Among the seals of the run, from 1. */
  readonly n: number;
  /** Epoch milliseconds. */
  readonly at: number;
  /** `destroyed`: the run has ended. `pruned`: its rows were removed on command, but for what operators did; the entries stay. */
  readonly reason: 'frozen' | 'destroyed' | 'pruned';
  /** How many entries it covers. */
  readonly entries: number;
  readonly keyId: string;
  /** A DSSE envelope, as JSON text. */
  readonly envelope: string;
}

export interface RunRecord {
  readonly slug: string;
  /** Phase of the run as it is shown; `null` where a later life of the issue took the row over. */
  readonly phase: string | null;
  readonly rows: readonly RecordedRow[];
  /** By `n`. */
  readonly entries: readonly LedgerEntry[];
  /** By `n`. */
  readonly seals: readonly Seal[];
}

/** The ledger. Errors: `StoreError`. */
export interface ProvenanceStore {
  /**
   * One for each slug, in their order; an empty one when nothing was recorded of it.
   *
   * @param slugs some hundreds at most; an empty one: what belongs to no run
   */
  records(slugs: readonly string[]): Promise<RunRecord[]>;
  /** The run's newest entry, `undefined` before the first. */
  head(slug: string): Promise<LedgerEntry | undefined>;
  /** The run's newest seal, `undefined` before the first. */
  lastSeal(slug: string): Promise<Seal | undefined>;
  addSeal(seal: Seal): Promise<void>;
  /** Runs at rest without any seal, and ended ones without that of their end: those of a version that added none. */
  unsealed(): Promise<readonly { readonly slug: string; readonly reason: Seal['reason'] }[]>;
  /** Removes the rows of a run whose newest seal says that they are pruned; its entries and seals stay. Returns how many went. */
  prune(slug: string): Promise<number>;
  /** Every run that any row names, in order; an empty one for what belongs to no run. */
  slugs(): Promise<readonly string[]>;
  /** Every entry's place in both chains, in the order of `seq`. */
  places(): Promise<readonly Pick<LedgerEntry, 'seq' | 'slug' | 'n' | 'previous' | 'hash'>[]>;
}
