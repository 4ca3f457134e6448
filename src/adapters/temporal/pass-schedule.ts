import { ScheduleOverlapPolicy } from '@temporalio/client';
import type { Client, ScheduleOptions } from '@temporalio/client';
import { TASK_QUEUE } from '../../workflows/messages.js';
import { putSchedule, removeSchedule, type Put, type Removed } from './put-schedule.js';

/** A pass that was due while Temporal was away is made up for if it was due within this; one is enough for all. */
const CATCHUP_MS = 60_000;
const CALL_MS = 10_000;

export type ScheduleChange = Put | Removed;

/** A short workflow that runs at an interval, never two at once. */
export interface PassSchedule {
  /** Also the workflows' id, to which the server appends the time: no issue's has such a name, those begin with a forge's. */
  readonly id: string;
  readonly workflowType: string;
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
    intervalMs === null
      ? removeSchedule(client, schedule.id)
      : putSchedule(client, optionsFor(schedule, intervalMs)),
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

function optionsFor(schedule: PassSchedule, intervalMs: number): ScheduleOptions {
  const { id, workflowType, args, runTimeoutMs, summary } = schedule;
  return {
    scheduleId: id,
    spec: { intervals: [{ every: intervalMs }] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: CATCHUP_MS },
    action: {
      type: 'startWorkflow',
      workflowType,
      workflowId: id,
      taskQueue: TASK_QUEUE,
      args: [...args],
      workflowRunTimeout: runTimeoutMs,
      staticSummary: summary,
    },
  };
}
