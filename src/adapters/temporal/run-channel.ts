import { type Client, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type {
  ProposalOutcome,
  ProposalRefused,
  ProposeRequest,
  RunChannel,
} from '../../domain/run/run-channel.js';
import { BotBottleError } from '../../domain/base/errors.js';
import { openPrUpdate, PROPOSAL_PENDING, proposeUpdate, stateQuery } from '../../workflows/messages.js';

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
      const update = await client.workflow.getHandle(workflowId).startUpdate(proposeUpdate, {
        args: [request],
        updateId: messageId,
        waitForStage: 'ACCEPTED',
      });
      // What the workflow refused counts as started: its result says why.
      return { outcome: () => update.result().catch((error: unknown) => unheld(error, request)) };
    },
  };
}

/** The answer to a proposal that the workflow did not take. Errors: anything else, as it came. */
function unheld(error: unknown, { id }: ProposeRequest): ProposalOutcome | ProposalRefused {
  if (failureIn(error)?.type === PROPOSAL_PENDING) return { id, status: 'pending', notesRef: null };
  return { kind: 'refused', reason: refusalIn(error, 'ProposalRefused') };
}

/** Why the workflow refused it. Errors: anything else, as it came. */
function refusalIn(error: unknown, type: 'TurnOver' | 'ProposalRefused'): string {
  const failure = failureIn(error);
  if (failure?.type === type) return failure.message;
  throw error;
}

function failureIn(error: unknown): ApplicationFailure | undefined {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  return cause instanceof ApplicationFailure ? cause : undefined;
}
