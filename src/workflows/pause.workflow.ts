/** An operator pauses new turns, of every run or of a repository's, or lets them begin again. */
import { getExternalWorkflowHandle, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { PauseChange } from '../activities/ports/inputs.js';
import type { PauseActivities } from '../activities/ports/interface.js';
import type { PauseAnswer, PauseOrder } from './messages.js';

const home = proxyLocalActivities<PauseActivities>({
  startToCloseTimeout: '10 seconds',
  scheduleToCloseTimeout: '1 day',
});

/** Signals under way at once; the server allows 2,000. */
const AT_ONCE = 100;

export async function pauseWorkflow({ action, scope, by }: PauseOrder): Promise<PauseAnswer> {
  const { runId, workflowId } = workflowInfo();
  const order = { id: runId, workflowId, action, scope, who: by, at: Date.now() };
  const summary = `${action} new turns: ${scope}`;
  const change = await home.changePause.executeWithOptions({ summary }, [order]);
  await tell(change);
  return { action, changed: change.changed, pauses: change.pauses };
}

async function tell({ tell: workflowIds, reason }: PauseChange): Promise<void> {
  const [name, payload] = reason === null ? ['unpaused', {}] : ['paused', { reason }];
  for (let from = 0; from < workflowIds.length; from += AT_ONCE) {
    const some = workflowIds.slice(from, from + AT_ONCE);
    // One that has ended meanwhile needs no word.
    await Promise.allSettled(some.map((id) => getExternalWorkflowHandle(id).signal(name, payload)));
  }
}
