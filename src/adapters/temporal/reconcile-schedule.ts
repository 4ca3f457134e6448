import { ScheduleAlreadyRunning, ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client';
import type { Client, ScheduleDescription, ScheduleOptions } from '@temporalio/client';
import { RECONCILE_WORKFLOW, TASK_QUEUE } from '../../workflows/messages.js';

export const RECONCILE_SCHEDULE = 'bot-bottle-reconcile';
/** A pass that was due while Temporal was away is made up for if it was due within this; one is enough for all. */
const CATCHUP_MS = 60_000;
/** A worker that is away leaves a pass waiting; after this the schedule goes on without it. Milliseconds. */
const RUN_TIMEOUT_MS = 300_000;
const CALL_MS = 10_000;

export type ScheduleChange = 'created' | 'updated' | 'unchanged' | 'removed' | 'absent';

/**
 * Brings the reconciler's schedule to an interval, or takes it away. May be repeated, and by several workers at once.
 * One that an operator has paused stays paused. Errors: Temporal's.
 * @param intervalMs `null`: no reconciler
 */
export async function setReconcileSchedule(
  client: Client,
  intervalMs: number | null,
): Promise<ScheduleChange> {
  return client.withDeadline(Date.now() + CALL_MS, () =>
    intervalMs === null ? remove(client) : bringTo(client, intervalMs),
  );
}

async function bringTo(client: Client, intervalMs: number): Promise<ScheduleChange> {
  const options = optionsFor(intervalMs);
  const handle = client.schedule.getHandle(RECONCILE_SCHEDULE);
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

async function remove(client: Client): Promise<ScheduleChange> {
  try {
    await client.schedule.getHandle(RECONCILE_SCHEDULE).delete();
    return 'removed';
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return 'absent';
    throw error;
  }
}

function optionsFor(intervalMs: number): ScheduleOptions {
  return {
    scheduleId: RECONCILE_SCHEDULE,
    spec: { intervals: [{ every: intervalMs }] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: CATCHUP_MS },
    action: {
      type: 'startWorkflow',
      workflowType: RECONCILE_WORKFLOW,
      // The server appends the time. No issue's workflow has such a name: those begin with a forge's.
      workflowId: RECONCILE_SCHEDULE,
      taskQueue: TASK_QUEUE,
      args: [],
      workflowRunTimeout: RUN_TIMEOUT_MS,
      staticSummary: 'What changed on the forge and no webhook told',
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
