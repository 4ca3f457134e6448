import type { Client } from '@temporalio/client';
import { SWEEP_WORKFLOW } from '../../workflows/messages.js';
import { setPassSchedule, triggerPass, type ScheduleChange } from './pass-schedule.js';

/** Ending runs takes time; a worker that goes away meanwhile must not hold up sweeps for ever. */
const RUN_TIMEOUT_MS = 3_600_000;

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
  const id = sweepScheduleOf(host);
  const schedule = {
    id,
    workflowType: SWEEP_WORKFLOW,
    args: [{ host }],
    runTimeoutMs: RUN_TIMEOUT_MS,
    summary: `What nobody needs on host ${host}`,
  };
  const change = await setPassSchedule(client, schedule, intervalMs);
  if (intervalMs !== null) await triggerPass(client, id);
  return change;
}
