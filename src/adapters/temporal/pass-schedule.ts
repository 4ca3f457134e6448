import { ScheduleAlreadyRunning, ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client';
import type { Client, ScheduleDescription, ScheduleOptions } from '@temporalio/client';

/** A pass that was due while Temporal was away is made up for if it was due within this; one is enough for all. */
const CATCHUP_MS = 60_000;
const CALL_MS = 10_000;

export type ScheduleChange = 'created' | 'updated' | 'unchanged' | 'removed' | 'absent';

/** A short workflow that runs at an interval, never two at once. */
export interface PassSchedule {
  /** Also the workflows' id, to which the server appends the time: no issue's has such a name, those begin with a forge's. */
  readonly id: string;
  readonly workflowType: string;
  readonly taskQueue: string;
  readonly args: readonly unknown[];
  /** A worker that is away leaves a pass waiting; after this the schedule goes on without it. Milliseconds. */
  readonly runTimeoutMs: number;
  readonly summary: string;
}

/**
 * Brings a schedule to an interval, or takes it away. May be repeated, and by several workers at once. One that an
 * operator has paused stays paused. Errors: Temporal's.
 * @param intervalMs `null`: none
 */
export async function setPassSchedule(
  client: Client,
  schedule: PassSchedule,
  intervalMs: number | null,
): Promise<ScheduleChange> {
  return client.withDeadline(Date.now() + CALL_MS, () =>
    intervalMs === null ? remove(client, schedule.id) : bringTo(client, schedule, intervalMs),
  );
}

/** One pass now, unless one is under way or the schedule is paused. Errors: Temporal's. */
export async function triggerPass(client: Client, id: string): Promise<void> {
  const handle = client.schedule.getHandle(id);
  await client.withDeadline(Date.now() + CALL_MS, async () => {
    const { state } = await handle.describe();
    if (!state.paused) await handle.trigger(ScheduleOverlapPolicy.SKIP);
  });
}

async function bringTo(client: Client, schedule: PassSchedule, intervalMs: number): Promise<ScheduleChange> {
  const options = optionsFor(schedule, intervalMs);
  const handle = client.schedule.getHandle(schedule.id);
  let known: ScheduleDescription | undefined;
  try {
    known = await handle.describe();
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
  if (known === undefined) {
    try {
      await client.schedule.create(options);
      return 'created';
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    }
  } else if (isSame(known, intervalMs, options)) return 'unchanged';
  const { spec, policies, action } = options;
  await handle.update((previous) => ({ spec, policies: policies ?? {}, action, state: previous.state }));
  return 'updated';
}

async function remove(client: Client, id: string): Promise<ScheduleChange> {
  try {
    await client.schedule.getHandle(id).delete();
    return 'removed';
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return 'absent';
    throw error;
  }
}

function optionsFor(schedule: PassSchedule, intervalMs: number): ScheduleOptions {
  const { id, workflowType, taskQueue, args, runTimeoutMs, summary } = schedule;
  return {
    scheduleId: id,
    spec: { intervals: [{ every: intervalMs }] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: CATCHUP_MS },
    action: {
      type: 'startWorkflow',
      workflowType,
      workflowId: id,
      taskQueue,
      args: [...args],
      workflowRunTimeout: runTimeoutMs,
      staticSummary: summary,
    },
  };
}

function isSame(
  known: ScheduleDescription,
  intervalMs: number,
  { policies, action }: ScheduleOptions,
): boolean {
  const [interval, ...others] = known.spec.intervals ?? [];
  return (
    interval?.every === intervalMs &&
    others.length === 0 &&
    known.policies.overlap === policies?.overlap &&
    known.policies.catchupWindow === policies?.catchupWindow &&
    known.action.workflowType === action.workflowType &&
    known.action.taskQueue === action.taskQueue &&
    known.action.workflowRunTimeout === action.workflowRunTimeout
  );
}
