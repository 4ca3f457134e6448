import { type Client, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { RunChannel } from '../../domain/run/run-channel.js';
import { BotBottleError } from '../../domain/base/errors.js';
import { openPrUpdate, proposeUpdate, stateQuery } from '../../workflows/messages.js';

/** A call that gets no answer is made again. */
const CALL_MS = 10_000;

/** Handles never pin a run id. */
export function temporalRunChannel(client: Client): RunChannel {
  return {
    tell: async (workflowId, { kind, ...payload }) => {
      await client.withDeadline(Date.now() + CALL_MS, () =>
        client.workflow.getHandle(workflowId).signal(kind, payload),
      );
    },
    isCurrent: async (workflowId, { slug, epoch }) => {
      const now = await client
        .withDeadline(Date.now() + CALL_MS, () => client.workflow.getHandle(workflowId).query(stateQuery))
        .catch((cause: unknown) => {
          throw new BotBottleError('run_unknown', 'the run’s workflow could not be asked', true, {
            cause,
            away: true,
          });
        });
      // Of a life that is over there is no slug, and what it left is kept as ever.
      return (now.slug ?? slug) === slug && now.epoch === epoch;
    },
    // Ids deduplicate within one execution only; the workflow looks repeated request ids up in its carried state.
    openPr: async (workflowId, request) => {
      try {
        return await client.workflow
          .getHandle(workflowId)
          .executeUpdate(openPrUpdate, { args: [request], updateId: request.requestId });
      } catch (error) {
        // Asking again would hear the same.
        return { kind: 'refused', reason: refusalIn(error, 'TurnOver') };
      }
    },
    propose: async (workflowId, messageId, request) => {
      try {
        const update = await client.workflow.getHandle(workflowId).startUpdate(proposeUpdate, {
          args: [request],
          updateId: messageId,
          waitForStage: 'ACCEPTED',
        });
        return { kind: 'accepted', outcome: () => update.result() };
      } catch (error) {
        return { kind: 'refused', reason: refusalIn(error, 'ProposalRefused') };
      }
    },
  };
}

/** Why the workflow refused it. Errors: anything else, as it came. */
function refusalIn(error: unknown, type: 'TurnOver' | 'ProposalRefused'): string {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  if (cause instanceof ApplicationFailure && cause.type === type) return cause.message;
  throw error;
}
