import type { RunRow, RunStatus } from './rows.js';

/** Times are epoch milliseconds; what is absent does not filter. */
export interface RunFilter {
  readonly slug?: string;
  readonly repo?: { readonly owner: string; readonly repo: string };
  readonly agent?: string;
  readonly phase?: string;
  readonly reason?: string;
  /** Of creation: from this time on, and before that one. */
  readonly since?: number;
  readonly until?: number;
}

/** The place of a run in the list: runs that are added meanwhile do not move it. */
export type RunPlace = Pick<RunRow, 'createdAt' | 'slug'>;

/** The state is `null` once a later life of the issue has taken the row over. */
export interface ListedRun extends RunRow {
  readonly status: RunStatus | null;
  readonly phase: string | null;
  readonly reason: string | null;
  readonly prNumber: number | null;
  readonly prUrl: string | null;
}

export interface RunList {
  /** Newest first, at most `limit`, in one query. @param after where the page before this one ended */
  page(filter: RunFilter, limit: number, after?: RunPlace): Promise<ListedRun[]>;
}
