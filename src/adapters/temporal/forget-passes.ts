import type { Client } from '@temporalio/client';
import { isNotFound } from './grpc-status.js';

/** Passes are many and each tells little: a day of them is kept, not the namespace's retention. */
const KEPT_MS = 24 * 3_600_000;
/** Of one call: there are more when it has removed as many. */
export const AT_ONCE = 500;
const CALLS_MS = 60_000;

/**
 * Deletes executions of a scheduled workflow that ended more than a day before `now`. Errors: Temporal's. Resolves with
 * how many.
 */
export async function forgetPasses(
  client: Client,
  workflowType: string,
  now: number,
  keptMs = KEPT_MS,
): Promise<number> {
  const before = new Date(now - keptMs).toISOString();
  const query = `WorkflowType = '${workflowType}' AND ExecutionStatus != 'Running' AND CloseTime < '${before}'`;
  const { namespace } = client.options;
  return client.withDeadline(Date.now() + CALLS_MS, async () => {
    let count = 0;
    for await (const { workflowId, runId } of client.workflow.list({ query })) {
      if (count >= AT_ONCE) break;
      const workflowExecution = { workflowId, runId };
      try {
        await client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution });
        count += 1;
      } catch (error) {
        // Lists lag behind: this one is gone already, as is wished.
        if (!isNotFound(error)) throw error;
      }
    }
    return count;
  });
}
