import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { messageOf } from '../../domain/base/message-of.js';
import type { RunState, RunStates } from '../../domain/run/run-states.js';
import { isSlug } from '../../domain/run/slug.js';
import { ISSUE_WORKFLOW, stateQuery } from '../../workflows/messages.js';
import { IS_OPEN } from './deployment.js';
import { isAway } from './grpc-status.js';

const CALL_MS = 10_000;
/** Anything else, names of newer servers included, is asked for its state. */
const CLOSED: readonly string[] = ['COMPLETED', 'FAILED', 'CANCELLED', 'TERMINATED', 'TIMED_OUT'];

/** `describe` by id, then the query `state`: both answer for this moment, which a list does not. */
export function temporalRunStates(client: Client): RunStates {
  return {
    of: (workflowId) => stateOf(client, workflowId),
    claimedBy: async (slug) => {
      if (!isSlug(slug)) return undefined;
      const query = `WorkflowType = '${ISSUE_WORKFLOW}' AND ${IS_OPEN} AND BottleSlug = '${slug}'`;
      return client.withDeadline(Date.now() + CALL_MS, async () => {
        for await (const { workflowId } of client.workflow.list({ query, pageSize: 1 })) return workflowId;
        return undefined;
      });
    },
  };
}

async function stateOf(client: Client, workflowId: string): Promise<RunState> {
  const handle = client.workflow.getHandle(workflowId);
  const within = <T>(call: () => Promise<T>): Promise<T> => client.withDeadline(Date.now() + CALL_MS, call);
  try {
    const { status, closeTime } = await within(() => handle.describe());
    if (CLOSED.includes(status.name)) return { kind: 'closed', at: closeTime?.getTime() ?? Date.now() };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { kind: 'gone' };
    return { kind: 'unknown', why: messageOf(error).slice(0, 300), away: isServerAway(error) };
  }
  try {
    const { slug, phase, host, lastTurn } = await within(() => handle.query(stateQuery));
    return { kind: 'open', slug, phase, host, hasRun: lastTurn !== null };
  } catch (error) {
    // Also what says "not found": that was no answer to `describe`.
    return { kind: 'unknown', why: messageOf(error).slice(0, 300), away: false };
  }
}

/** The client wraps some of gRPC's errors. */
function isServerAway(error: unknown): boolean {
  return isAway(error) || (error instanceof Error && isAway(error.cause));
}
