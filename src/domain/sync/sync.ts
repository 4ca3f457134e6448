/** Keeping a fork merged with its upstream [S3]: what is asked for, what is found, what becomes of it. */
import type { RepoRef } from '../forge/issue.js';
import type { PreparedTurn } from '../run/events.js';

export const SYNC_TIMEOUT_MS = 8 * 60_000;

export const SYNC_STATUSES = ['verified', 'unchanged', 'stuck', 'timeout', 'failed'] as const;
export type SyncStatus = (typeof SYNC_STATUSES)[number];

/** A fork on the forge, and how it is to be merged. Stands in Temporal's history, so it holds no secret. */
export interface SyncOrder {
  readonly fork: RepoRef;
  /** http(s) address, without user and password. */
  readonly upstream: string;
  /** The agent's manifest whose provider, model, bottle and keys take the place of opencode's and its file; `null` for those. */
  readonly manifest: string | null;
  readonly opencode: OpencodeOrder;
  /** Of the container, milliseconds. */
  readonly timeoutMs: number;
  /** As in `OperatorCommand`. */
  readonly by: string;
}

/** Absolute path of `opencode.env` on the worker's machine, and what goes before its values. */
export interface OpencodeOrder {
  readonly envFile: string;
  readonly model: string | null;
  readonly variant: string | null;
  readonly agent: string | null;
}

/** Both remotes as they were fetched. */
export interface SyncRefs {
  /** The fork's default branch, and its tip. */
  readonly branch: string;
  readonly sha: string;
  readonly upstreamBranch: string;
  readonly upstreamSha: string;
  /** Commits of upstream's branch that the start lacks. */
  readonly behind: number;
  /** The branch that an earlier sync pushed last, whether or not its pull request is open. */
  readonly earlier: { readonly branch: string; readonly sha: string } | null;
}

/** One container's worth of work. */
export interface SyncRun {
  readonly workflowId: string;
  readonly slug: string;
  readonly order: SyncOrder;
  readonly refs: SyncRefs;
  /** Where the workspace begins: the fork's branch, or that of an earlier sync whose pull request is open. */
  readonly startSha: string;
  /** The branch that is pushed. */
  readonly agentBranch: string;
  /** Blobs of a `STUCK.md` that one of the remotes has itself. */
  readonly knownStuck: readonly string[];
  /** Absolute; see `SyncDirectories`. */
  readonly runDir: string;
  readonly prepared: PreparedTurn;
}

export type PreparedSync =
  | { readonly kind: 'ready'; readonly run: SyncRun }
  | { readonly kind: 'over'; readonly outcome: SyncOutcome };

export interface SyncOutcome {
  readonly status: SyncStatus;
  /** For people. */
  readonly reason: string;
  /** `null` when no container was needed. */
  readonly runDir: string | null;
  readonly slug: string | null;
  readonly branch: string | null;
  readonly pr: number | null;
  readonly prUrl: string | null;
}

export interface ScheduledSync {
  readonly fork: RepoRef;
  /** `null` for one whose order cannot be decoded: the key that it was encrypted with is gone. */
  readonly upstream: string | null;
  readonly everyMs: number | null;
  /** Epoch milliseconds; `null` while it is paused in Temporal. */
  readonly nextAt: number | null;
}

/** Without a run directory. */
export function outcomeWithoutRun(
  status: SyncStatus,
  reason: string,
  pull: { readonly number: number; readonly url: string } | null = null,
): SyncOutcome {
  const pr = { pr: pull?.number ?? null, prUrl: pull?.url ?? null };
  return { status, reason, runDir: null, slug: null, branch: null, ...pr };
}

/** `sync:gitea:alice/fork`: never two at once. Forges make no difference between upper and lower case. */
export function syncWorkflowId({ forge, owner, repo }: RepoRef): string {
  return `sync:${forge}:${owner}/${repo}`.toLowerCase();
}

/** `owner/repo`, in lower case, of the fork whose sync the workflow is. */
export function forkOfSync(workflowId: string): string | undefined {
  return /^sync:[a-z]+:(.+)$/.exec(workflowId)?.[1]?.toLowerCase();
}
