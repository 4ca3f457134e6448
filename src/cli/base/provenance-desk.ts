import type { RunRecord } from '../../domain/provenance/record.js';
import type { Problem, Verdict } from '../../domain/provenance/verify-record.js';

/** What is recorded of runs, and the keys that signed it. The caller closes it. Errors: `StoreError`, `InvalidInputError`. */
export interface ProvenanceDesk {
  /** `undefined` when nothing was recorded of it. */
  record(slug: string): Promise<RunRecord | undefined>;
  verify(slug: string): Promise<Verdict | undefined>;
  /** Every run, and what belongs to none (an empty slug), and the chain that binds them. */
  verifyAll(): Promise<{ readonly runs: readonly Verdict[]; readonly ledger: readonly Problem[] }>;
  /** A file that anybody with the public key can verify: a DSSE envelope as JSON. `undefined` as with `record`. */
  exported(slug: string): Promise<string | undefined>;
  /** @param pems public keys; empty: the home's own */
  verifyExport(envelope: string, pems: readonly string[]): Verdict;
  /**
   * Removes the rows of a run that has ended, and leaves a signed seal that says so. Errors: `InvalidInputError` when it has not
   * ended, its record is not whole, or it was pruned already. `undefined` as with `record`.
   */
  prune(slug: string, why: string | null): Promise<{ readonly rows: number } | undefined>;
  keys(): ProvenanceKeys;
  /** Returns the new key's id. */
  rotateKey(): string;
  close(): Promise<void>;
}

export interface ProvenanceKeys {
  /** The one that signs now; `null` before the first signature. */
  readonly current: string | null;
  readonly public: readonly { readonly id: string; readonly pem: string }[];
}
