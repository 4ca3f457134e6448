import type { Amounts } from './budget.js';
import type { NoticeTable } from './notices.js';
import type { RepoRef, SubjectRef } from '../forge/issue.js';
import type { ProvenanceStore } from '../provenance/record.js';
import type { ChangeFeed } from './change-feed.js';
import type { PauseRow } from './pause.js';
import type { RunList } from './run-list.js';
import type {
  ForgeStateRow,
  OperationRow,
  OperatorCommandRow,
  ProposalDecisionRow,
  ProposalRow,
  RejectionRow,
  RunOverviewRow,
  RunRow,
  SessionRow,
  TurnRow,
} from './rows.js';

/** Issue to slug and status [S0]; key (forge, owner, repo, issue number). */
export interface ForgeStateStore {
  upsert(row: ForgeStateRow): Promise<void>;
  get(subject: SubjectRef): Promise<ForgeStateRow | undefined>;
  /** Deleting what is not there is fine. */
  delete(subject: SubjectRef): Promise<void>;
  /** A run's row, unless a later life of the issue has taken it over. */
  ofRun(slug: string): Promise<ForgeStateRow | undefined>;
  /** Runs whose issue or pull request has this number, ended ones too, in any order. @param repoId `null`: the repository is known by its name */
  ofNumber(subject: SubjectRef, repoId: number | null): Promise<ForgeStateRow[]>;
  /** The same by name alone, whatever the case of its letters: for what a person wrote. Looks through all of the forge's. */
  ofNumberInAnyCase(subject: SubjectRef): Promise<ForgeStateRow[]>;
  /** Those whose commits are on the branch, in any order. */
  ofBranch(repo: RepoRef, repoId: number, branch: string): Promise<ForgeStateRow[]>;
  /** The run that goes on under this workflow id. */
  holderOf(workflowId: string): Promise<ForgeStateRow | undefined>;
  /** Whether a run goes on in the repository. */
  livesIn(repoId: number): Promise<boolean>;
  /** Those that go on, running or frozen, in the order of the key. */
  living(): Promise<ForgeStateRow[]>;
  /** Those of status `running`, in the same order. */
  running(): Promise<ForgeStateRow[]>;
  /** All that ever were, in the same order: for a person to look at. */
  all(): Promise<ForgeStateRow[]>;
  /**
   * The agent was heard of, epoch milliseconds, so its turn runs: a run that is not running, or was heard of later, stays as it is.
   * @param now when that is written, if it is news that the turn runs
   */
  checkedIn(slug: string, at: number, now: number): Promise<void>;
}

/** The append-only rows provenance is made of. Repeating an append is no second row. */
export interface RunStore {
  appendRun(row: RunRow): Promise<void>;
  appendTurn(row: TurnRow): Promise<void>;
  appendOperations(rows: readonly OperationRow[]): Promise<void>;
  run(slug: string): Promise<RunRow | undefined>;
  turns(slug: string): Promise<TurnRow[]>;
  operations(slug: string): Promise<OperationRow[]>;
  /** Those that go on, in the order of their slugs. */
  overview(): Promise<RunOverviewRow[]>;
}

/** The sessions of runs, as their ended turns add up. */
export interface SessionStore {
  /** Makes the entries of a run anew from its rows: repeating it changes nothing. */
  update(slug: string, updatedAt: number): Promise<void>;
  /** In the order in which they began. */
  ofRun(slug: string): Promise<SessionRow[]>;
  /** What the turns used that ended at that time or later, all runs together; metered. @param epochMs the engine's clock */
  spentSince(epochMs: number): Promise<Amounts>;
}

/** What operators did: append-only. Repeating an append is no second row. */
export interface OperatorLog {
  append(row: OperatorCommandRow): Promise<void>;
  /** Newest first. @param slug of one run only */
  latest(limit: number, slug?: string): Promise<OperatorCommandRow[]>;
}

/** Proposals and what came of them [S2]: append-only. Repeating an append is no second row. */
export interface ProposalStore {
  add(row: ProposalRow): Promise<void>;
  /** The first decision stands. */
  decide(row: ProposalDecisionRow): Promise<void>;
  /** Those that wait, of all runs, oldest first. */
  open(): Promise<ProposalRow[]>;
  /** Oldest first; `decision` is `null` while it waits. */
  ofRun(slug: string): Promise<DecidedProposal[]>;
  /** Those whose id begins so, of all runs, at most ten. */
  find(idPrefix: string): Promise<DecidedProposal[]>;
}

export interface DecidedProposal extends ProposalRow {
  readonly decision: ProposalDecisionRow | null;
}

/** What holds new turns back. */
export interface PauseTable {
  /** False when there is one of that scope, which stays as it is. */
  add(row: PauseRow): Promise<boolean>;
  /** False when there was none. */
  remove(scope: string): Promise<boolean>;
  /** Ordered by scope. */
  all(): Promise<PauseRow[]>;
}

/** Triggers that started nothing, for `status --rejected`. Repeating one is no second row. */
export interface RejectionLog {
  add(row: RejectionRow): Promise<void>;
  close(): Promise<void>;
}

export interface Stores {
  readonly changes: ChangeFeed;
  readonly forgeState: ForgeStateStore;
  readonly runs: RunStore;
  readonly runList: RunList;
  readonly sessions: SessionStore;
  readonly operatorLog: OperatorLog;
  readonly pauses: PauseTable;
  readonly proposals: ProposalStore;
  readonly notices: NoticeTable;
  readonly provenance: ProvenanceStore;
}

/** The stores in one database, so that a step is one transaction. */
export interface Database extends Stores {
  /**
   * Commits all of the work or, when it rejects, nothing; nobody else writes meanwhile. The work must use only the stores
   * that it is given, as the database's own wait until it is over, and await nothing else, as every other writer waits for it.
   */
  transaction<T>(work: (stores: Stores) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
