import type { Amounts } from './budget.js';
import type { SubjectRef } from '../forge/issue.js';
import type { PauseRow } from './pause.js';
import type {
  ForgeStateRow,
  OperationRow,
  OperatorCommandRow,
  RejectionRow,
  RunRow,
  SessionRow,
  TurnRow,
} from './rows.js';

/** Issue to slug and status [S0]; key (forge, owner, repo, issue number). */
export interface ForgeStateStore {
  upsert(row: ForgeStateRow): void;
  get(subject: SubjectRef): ForgeStateRow | undefined;
  /** A run's row, unless a later life of the issue has taken it over. */
  ofRun(slug: string): ForgeStateRow | undefined;
  /** Deleting what is not there is fine. */
  delete(subject: SubjectRef): void;
  /** Ordered by forge, owner, repo, number. */
  all(): ForgeStateRow[];
  /** Those of status `running`, in the same order. */
  running(): ForgeStateRow[];
  /** The agent was heard of, epoch milliseconds: a run that is not running, or was heard of later, stays as it is. */
  checkedIn(slug: string, at: number): void;
}

/** The append-only rows provenance is made of. Repeating an append is no second row. */
export interface RunStore {
  appendRun(row: RunRow): void;
  appendTurn(row: TurnRow): void;
  appendOperations(rows: readonly OperationRow[]): void;
  run(slug: string): RunRow | undefined;
  turns(slug: string): TurnRow[];
  operations(slug: string): OperationRow[];
}

/** The sessions of runs, as their ended turns add up. */
export interface SessionStore {
  /** Makes the entries of a run anew from its rows: repeating it changes nothing. */
  update(slug: string, updatedAt: number): void;
  /** In the order in which they began. */
  ofRun(slug: string): SessionRow[];
  /** What the turns used that ended at that time or later, all runs together; metered. @param epochMs the engine's clock */
  spentSince(epochMs: number): Amounts;
}

/** What operators did: append-only. Repeating an append is no second row. */
export interface OperatorLog {
  append(row: OperatorCommandRow): void;
  /** Newest first. @param slug of one run only */
  latest(limit: number, slug?: string): OperatorCommandRow[];
}

/** What holds new turns back. */
export interface PauseTable {
  /** False when there is one of that scope, which stays as it is. */
  add(row: PauseRow): boolean;
  /** False when there was none. */
  remove(scope: string): boolean;
  /** Ordered by scope. */
  all(): PauseRow[];
}

/** Triggers that started nothing, for `status --rejected`. Repeating one is no second row. */
export interface RejectionLog {
  add(row: RejectionRow): void;
  close(): void;
}

/** The stores in one database, so that a step is one transaction. */
export interface Database {
  readonly forgeState: ForgeStateStore;
  readonly runs: RunStore;
  readonly sessions: SessionStore;
  readonly operatorLog: OperatorLog;
  readonly pauses: PauseTable;
  /** `BEGIN IMMEDIATE`; no `await` inside. */
  transaction<T>(work: () => T): T;
  close(): void;
}
