import type { Client } from '@temporalio/client';
import { RECONCILE_WORKFLOW } from '../../workflows/messages.js';
import { setPassSchedule, type ScheduleChange } from './pass-schedule.js';

export const RECONCILE_SCHEDULE = 'bot-bottle-reconcile';
const RUN_TIMEOUT_MS = 300_000;

/**
 * Brings the reconciler's schedule to an interval, or takes it away. Errors: Temporal's.
 * @param intervalMs `null`: no reconciler
 */
export function setReconcileSchedule(client: Client, intervalMs: number | null): Promise<ScheduleChange> {
  const schedule = {
    id: RECONCILE_SCHEDULE,
    workflowType: RECONCILE_WORKFLOW,
    args: [],
    runTimeoutMs: RUN_TIMEOUT_MS,
    summary: 'What changed on the forge and no webhook told',
  };
  return setPassSchedule(client, schedule, intervalMs);
}
