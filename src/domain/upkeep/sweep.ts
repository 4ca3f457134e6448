/** What the sweeper finds on a host, what it makes of it, and what it says afterwards. Times are epoch milliseconds. */
import type { SubjectRef } from '../forge/issue.js';
import type { RunState } from '../run/run-states.js';

/** Everything of one run on this host. */
export interface FoundRun {
  readonly slug: string;
  /** `null` when nobody knows whose it was. */
  readonly workflowId: string | null;
  readonly subject: SubjectRef | null;
  readonly branch: string | null;
  readonly containers: readonly FoundContainer[];
  readonly volumes: readonly { readonly name: string; readonly role: string; readonly createdAt: number }[];
  /** Directories that go with the run, and when the one above them last changed. */
  readonly directory: { readonly changedAt: number } | null;
  /** When the token or a secret was last placed for the sidecar. */
  readonly secretsAt: number | null;
  readonly hasTranscript: boolean;
  /** An image is kept for it. */
  readonly pinned: boolean;
  /** The database says that it lives here. */
  readonly expected: boolean;
}

export interface FoundContainer {
  readonly name: string;
  readonly role: string;
  readonly running: boolean;
  readonly createdAt: number;
  /** The engine's own text, which tells one start from another. */
  readonly startedAt: string;
  /** Since when it does not run: since it stopped, or was made. */
  readonly idleSince: number;
}

export interface LookedAtRun extends FoundRun {
  readonly state: RunState;
}

/** What is done about a run. Each may be repeated, and looks again before it acts. */
export type SweepAction =
  /** The run is over: all of it goes, as at its own end. */
  | {
      readonly kind: 'remove';
      readonly run: FoundRun;
      readonly why: string;
      /** It goes on on another host. */
      readonly elsewhere: boolean;
    }
  /** The run is over, and nothing is left of it but its name on an image. */
  | { readonly kind: 'unpin'; readonly slug: string }
  /** A throw-away container that nobody waits for. */
  | {
      readonly kind: 'remove_container';
      readonly slug: string;
      readonly name: string;
      readonly createdAt: number;
    }
  /** It runs though the run is frozen. */
  | {
      readonly kind: 'stop';
      readonly slug: string;
      readonly role: 'agent' | 'bundle';
      readonly startedAt: string;
    }
  /** Left by a turn that is over. */
  | { readonly kind: 'drop_secrets'; readonly slug: string; readonly placedAt: number }
  /** Frozen for long: its workflow is asked to put the containers away. */
  | { readonly kind: 'archive'; readonly slug: string; readonly workflowId: string }
  /** Nothing is left to go on from, and nothing is made up. */
  | { readonly kind: 'report_lost'; readonly slug: string };

/** What a sweep leaves to the next one, which acts on what it finds again. */
export interface SweepStore {
  load(): Promise<readonly string[]>;
  save(findings: readonly string[]): Promise<void>;
}

/** A run that the database believes to be alive on this host. */
export interface ExpectedRun {
  readonly slug: string;
  readonly workflowId: string;
  readonly subject: SubjectRef;
  readonly branch: string;
}

export interface SweepEntry {
  readonly slug: string;
  readonly what: SweepAction['kind'] | 'row_repaired';
  readonly outcome: 'done' | 'failed' | 'reported';
  readonly detail: string;
}

export interface SweepReport {
  /** `busy`: the sweep before is still under way. */
  readonly end: 'done' | 'busy' | 'away';
  /** Runs that were looked at. */
  readonly runs: number;
  /** Found for the first time: acted on when they are found again. */
  readonly waiting: number;
  readonly entries: readonly SweepEntry[];
  readonly scratchRemoved: number;
  readonly durationMs: number;
}
