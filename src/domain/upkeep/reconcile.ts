/** The reconciler: what it posts, what it remembers, what it says about a pass. Times are epoch milliseconds. */
import type { ForgeKind } from '../forge/issue.js';

/** Something that changed on the forge: no more than a hint to look there, as a webhook's delivery is. */
export interface Finding {
  readonly forge: ForgeKind;
  readonly owner: string;
  readonly repo: string;
  readonly repoId: number;
  readonly number: number;
  readonly isPull: boolean;
  /** Head branch of a run's pull request. */
  readonly headRef: string | null;
  readonly cause: FindingCause;
  /** What was seen, in a few words: the same finding comes again only when nothing has changed. */
  readonly seen: string;
}

export type FindingCause =
  | { readonly kind: 'state' }
  | { readonly kind: 'comment'; readonly commentId: number }
  | { readonly kind: 'review'; readonly reviewId: number }
  | { readonly kind: 'push' }
  /** Something fails on this commit, the pull request's head. */
  | { readonly kind: 'checks'; readonly sha: string };

/** The door deliveries come in by. Errors: any, when it did not answer that the finding is safe with it. */
export interface FindingDoor {
  post(finding: Finding): Promise<'accepted' | 'known'>;
}

/** How far a list of changes has been read. All times are the forge's. */
export interface ListCursor {
  /** Everything before was read; `null` while the first list, of all that is open, is not through. */
  readonly since: number | null;
  /** The next page to read, from 1. */
  readonly page: number;
  /** Length of the first page; 0 before it was read. */
  readonly pageSize: number;
  /** What `since` becomes when the list is through; `null` before the first page. */
  readonly upTo: number | null;
}

/** What is remembered of a run that goes on. */
export interface WatchedRun {
  readonly pr: number | null;
  /** The pull request's head when it was last looked at. */
  readonly head: string | null;
  /** How many remarks each of its reviews had then, by the review's id. */
  readonly remarks: Readonly<Record<string, number>>;
}

export interface PullKey {
  readonly repoId: number;
  readonly number: number;
}

/** What one pass leaves to the next. Losing it costs requests, nothing else. */
export interface ReconcileState {
  /** By the source's name. */
  readonly lists: Readonly<Record<string, ListCursor>>;
  /** By the name of a repository that `FORGE_REPOS` names: the id that it had when something of it was first read. */
  readonly ids: Readonly<Record<string, number>>;
  /** By the id of a repository in which a run goes on. */
  readonly comments: Readonly<Record<string, ListCursor>>;
  /** By slug. */
  readonly runs: Readonly<Record<string, WatchedRun>>;
  /** Pull requests that changed and are still to be looked at. */
  readonly pulls: readonly PullKey[];
  /** The name of what the next pass goes on with. */
  readonly next: string | null;
  /** Digests of the latest findings that the door has: they are not posted again. */
  readonly posted: readonly string[];
  /** The forge asked not to be asked before this, our own clock. */
  readonly notBefore: number | null;
}

export const EMPTY_RECONCILE_STATE: ReconcileState = {
  lists: {},
  ids: {},
  comments: {},
  runs: {},
  pulls: [],
  next: null,
  posted: [],
  notBefore: null,
};

/** Durable. */
export interface ReconcileStore {
  /** Empty when nothing was saved yet. */
  load(): Promise<ReconcileState>;
  save(state: ReconcileState): Promise<void>;
}

/**
 * Why a pass ended: everything was read; the budget of requests or of time was used up; the forge asked to wait; forge or
 * door did not answer as they should; the worker stops; the pass before still runs.
 */
export type PassEnd = 'done' | 'budget' | 'time' | 'limited' | 'forge' | 'door' | 'stopped' | 'busy';

export interface PassReport {
  readonly end: PassEnd;
  /** Findings that were new to the door, and those that it had. */
  readonly findings: number;
  readonly known: number;
  /** To the forge. */
  readonly requests: number;
  readonly durationMs: number;
  /** ISO 8601: up to here every list is through; `null` before the first time. */
  readonly cursor: string | null;
  /** What went wrong, or until when the forge wants to be left alone. */
  readonly detail: string | null;
}
