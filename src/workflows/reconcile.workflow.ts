/** One pass of the reconciler, started by its schedule. */
import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { ReconcileActivities } from '../activities/ports/interface.js';
import type { PassReport } from '../domain/upkeep/reconcile.js';
import { TASK_QUEUE } from './messages.js';

/** One attempt: the next pass comes anyway, and goes on where this one got to. */
const activities = proxyActivities<ReconcileActivities>({
  taskQueue: TASK_QUEUE,
  startToCloseTimeout: '3 minutes',
  scheduleToCloseTimeout: '4 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 1 },
});

export async function reconcileWorkflow(): Promise<PassReport> {
  const summary = 'ask the forge what changed';
  const passed = await activities.reconcile.executeWithOptions({ summary }, []);
  setCurrentDetails(detailsOf(passed));
  return passed;
}

/** The detail is left out: it may repeat what the forge said, and this is Markdown. */
function detailsOf({ end, findings, known, requests, durationMs, cursor }: PassReport): string {
  return [
    `**${end}**: ${String(findings)} findings, ${String(known)} known already`,
    `${String(requests)} requests in ${String(durationMs)} ms`,
    `read up to ${cursor ?? '(the first look is not through)'}`,
  ].join('\n\n');
}
