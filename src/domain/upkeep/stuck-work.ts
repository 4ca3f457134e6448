/** An execution whose workflow tasks fail: it does nothing until they don't. */
export interface FailingTask {
  readonly workflowId: string;
  readonly attempt: number;
  /** `null` for a time-out. */
  readonly error: string | null;
}

/** An activity that is tried again and again. */
export interface RetriedActivity {
  readonly workflowId: string;
  readonly activity: string;
  readonly attempt: number;
  readonly error: string | null;
  /** First scheduled, epoch milliseconds; `null` for longer ago than was looked. */
  readonly since: number | null;
}

/** An execution of a version of the workflows that no worker is of: it does nothing, whatever it is told. */
export interface StandingRun {
  readonly workflowId: string;
  readonly version: string;
}

/** What Temporal says of work that does not go on. */
export interface StuckWork {
  /** Executions of ours that are open, as far as they were looked at. */
  readonly open: number;
  /** There are more than were looked at. */
  readonly isCut: boolean;
  readonly failing: readonly FailingTask[];
  readonly retried: readonly RetriedActivity[];
  readonly standing: readonly StandingRun[];
  /** Task queues that no worker asks for work. */
  readonly idleQueues: readonly string[];
}
