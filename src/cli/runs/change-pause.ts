import { WorkflowFailedError, type Client } from '@temporalio/client';
import { TerminatedFailure } from '@temporalio/common';
import { PAUSE_WORKFLOW, pauseWorkflowId, TASK_QUEUE } from '../../workflows/messages.js';
import type { PauseAnswer, PauseOrder } from '../../workflows/messages.js';
import { UnreachableError } from '../base/errors.js';
import type { Superseded } from '../base/orchestrator.js';
import { CALL_MS, isAway } from './call-workflow.js';

/**
 * The latest word on a scope ends an earlier one that was not heard yet. Errors: `UnreachableError`; a worker that is
 * away hears of it as soon as it is back.
 * @param callMs milliseconds a worker may take
 */
export async function changePause(
  { client, callMs = CALL_MS }: { readonly client: Client; readonly callMs?: number },
  order: PauseOrder,
): Promise<PauseAnswer | Superseded> {
  const { action, scope, by } = order;
  const within = <T>(call: () => Promise<T>): Promise<T> => client.withDeadline(Date.now() + callMs, call);
  const handle = await within(() =>
    client.workflow.start(PAUSE_WORKFLOW, {
      workflowId: pauseWorkflowId(scope),
      taskQueue: TASK_QUEUE,
      args: [order],
      workflowIdConflictPolicy: 'TERMINATE_EXISTING',
      staticSummary: `${action} new turns: ${scope}, by ${by}`,
    }),
  );
  try {
    return (await within(() => handle.result())) as PauseAnswer;
  } catch (error) {
    if (error instanceof WorkflowFailedError && error.cause instanceof TerminatedFailure)
      return { kind: 'superseded' };
    if (!isAway(error)) throw error;
    throw new UnreachableError(
      'the worker',
      `it is asked to ${action} and does so as soon as it runs: bot-bottle worker`,
      { cause: error },
    );
  }
}
