import { ScheduleOverlapPolicy } from '@temporalio/client';
import type { Client } from '@temporalio/client';
import { RECONCILE_WORKFLOW, SWEEP_WORKFLOW, TASK_QUEUE } from '../../workflows/messages.js';
import { putSchedule, removeSchedule, type Put, type Removed } from './put-schedule.js';

/** A pass that was due while Temporal was away is made up for if it was due within this; one is enough for all. */
const CATCHUP_MS = 60_000;
const CALL_MS = 10_000;

export const RECONCILE_SCHEDULE = 'bot-bottle-reconcile';
const RECONCILE_TIMEOUT_MS = 300_000;
/** Ending runs takes time; a worker that goes away meanwhile must not hold up sweeps for ever. */
const SWEEP_TIMEOUT_MS = 3_600_000;

export type ScheduleChange = Put | Removed;

/** A short workflow that runs at an interval, never two at once. */
interface PassSchedule {
  /** Also the workflows' id, to which the server appends the time: no issue's has such a name, those begin with a forge's. */
  readonly id: string;
  readonly workflowType: string;
  readonly args: unknown[];
  /** A worker that is away leaves a pass waiting; after this the schedule goes on without it. Milliseconds. */
  readonly runTimeoutMs: number;
  readonly summary: string;
}

/**
 * Brings the reconciler's schedule to an interval, or takes it away. Errors: Temporal's.
 * @param intervalMs `null`: no reconciler
 */
export function setReconcileSchedule(client: Client, intervalMs: number | null): Promise<ScheduleChange> {
  const schedule = {
    id: RECONCILE_SCHEDULE,
    workflowType: RECONCILE_WORKFLOW,
    args: [],
    runTimeoutMs: RECONCILE_TIMEOUT_MS,
    summary: 'What changed on the forge and no webhook told',
  };
  return setPassSchedule(client, schedule, intervalMs);
}

export function sweepScheduleOf(host: string): string {
  return `bot-bottle-sweep@${host}`;
}

/**
 * Brings the schedule of a host's sweeps to an interval and sweeps at once, or takes it away. Errors: Temporal's.
 * @param intervalMs `null`: no sweeps
 */
export async function setSweepSchedule(
  client: Client,
  host: string,
  intervalMs: number | null,
): Promise<ScheduleChange> {
  const schedule = {
    id: sweepScheduleOf(host),
    workflowType: SWEEP_WORKFLOW,
    args: [{ host }],
    runTimeoutMs: SWEEP_TIMEOUT_MS,
    summary: `What nobody needs on host ${host}`,
  };
  const change = await setPassSchedule(client, schedule, intervalMs);
  if (intervalMs !== null) await triggerPass(client, schedule.id);
  return change;
}

/** May be repeated, and by several workers at once. One that an operator has paused stays paused. */
function setPassSchedule(
  client: Client,
  { id, workflowType, args, runTimeoutMs, summary }: PassSchedule,
  intervalMs: number | null,
): Promise<ScheduleChange> {
  return client.withDeadline(Date.now() + CALL_MS, () =>
    intervalMs === null
      ? removeSchedule(client, id)
      : putSchedule(client, {
          scheduleId: id,
          spec: { intervals: [{ every: intervalMs }] },
          policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: CATCHUP_MS },
          action: {
            type: 'startWorkflow',
            workflowType,
            workflowId: id,
            taskQueue: TASK_QUEUE,
            args,
            workflowRunTimeout: runTimeoutMs,
            staticSummary: summary,
          },
        }),
  );
}

/** One pass now, unless one is under way or the schedule is paused. */
async function triggerPass(client: Client, id: string): Promise<void> {
  const handle = client.schedule.getHandle(id);
  await client.withDeadline(Date.now() + CALL_MS, async () => {
    const { state } = await handle.describe();
    if (!state.paused) await handle.trigger(ScheduleOverlapPolicy.SKIP);
  });
}
