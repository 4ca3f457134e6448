/** What the commands ask about syncs. Every call to Temporal may throw `UnreachableError`. */
import type { RepoRef } from '../../domain/forge/issue.js';
import type { ScheduledSync, SyncOrder, SyncOutcome } from '../../domain/sync/sync.js';
import type { Refused } from './orchestrator.js';

export interface SyncOptions {
  /** A clone of the fork, with the remotes `origin` and `upstream`. */
  readonly dir: string;
  readonly manifest: string | null;
  readonly model: string | null;
  readonly variant: string | null;
  readonly agent: string | null;
  readonly timeoutMs: number;
}

export interface SyncDesk {
  /**
   * Reads remotes and `opencode.env`. Answers also which names of that file are not passed on. Errors: `InvalidInputError` that
   * says what to do.
   */
  order(options: SyncOptions): Promise<{ readonly order: SyncOrder; readonly ignored: readonly string[] }>;
  /** The fork that a clone's `origin` is. Errors: as `order`. */
  forkIn(dir: string): Promise<RepoRef>;
  /** Refused while another sync of the fork is under way. */
  start(order: SyncOrder): Promise<{ readonly kind: 'started'; readonly workflowId: string } | Refused>;
  /** However long that takes. */
  outcome(workflowId: string): Promise<SyncOutcome>;
  /** `replaced`: the one before could not be decoded. */
  schedule(order: SyncOrder, everyMs: number): Promise<'created' | 'updated' | 'replaced'>;
  schedules(): Promise<readonly ScheduledSync[]>;
  unschedule(fork: RepoRef): Promise<'removed' | 'absent'>;
  close(): Promise<void>;
}
