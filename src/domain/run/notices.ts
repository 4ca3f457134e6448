/** Rows about what people were told. Times are epoch milliseconds. */

/** How people are told. */
export type HookName = 'command' | 'webhook';

/** A run that waits for a person. */
export interface FrozenRun {
  readonly slug: string;
  readonly agentName: string;
  readonly issueUrl: string;
  readonly reason: string;
  /** When it froze for this reason. */
  readonly since: number;
}

/** What came of telling one thing one way. */
export interface NoticeRow {
  readonly id: string;
  readonly hook: HookName;
  readonly state: 'told' | 'failing' | 'given_up';
  /** Failures so far. */
  readonly tries: number;
  readonly firstAt: number;
  /** Of a failing one: when it is tried again. */
  readonly dueAt: number;
}

/** Tables `notice`, and `frozen_run`, which triggers keep. */
export interface NoticeTable {
  /** Frozen for one of these reasons, oldest first. */
  frozen(reasons: readonly string[]): Promise<FrozenRun[]>;
  all(): Promise<NoticeRow[]>;
  /** Each replaces the row of its id and hook. */
  write(rows: readonly NoticeRow[]): Promise<void>;
  forget(hook: HookName, ids: readonly string[]): Promise<void>;
}
