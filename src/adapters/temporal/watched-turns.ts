import { WorkflowNotFoundError, type Client, type WorkflowExecutionDescription } from '@temporalio/client';
import { decodeOptionalSinglePayload } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { WatchedTurn, WatchedTurns } from '../../domain/run/watched-turn.js';
import { WATCHING } from '../../workflows/messages.js';

const CALL_MS = 5_000;

/** Heartbeats of pending activities, by `describe`: nothing of it stands in the workflow's history. */
export function watchedTurns(client: Client): WatchedTurns {
  return {
    of: async (workflowId) => {
      const description = await describe(client, workflowId);
      const watching = description?.raw.pendingActivities?.find(({ activityType }) =>
        WATCHING.includes(activityType?.name ?? ''),
      );
      const [details] = watching?.heartbeatDetails?.payloads ?? [];
      // The client decodes what it hands out itself; heartbeats it hands out as they came.
      return toWatched(await decodeOptionalSinglePayload(client.options.loadedDataConverter, details));
    },
  };
}

async function describe(
  client: Client,
  workflowId: string,
): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return await client.withDeadline(Date.now() + CALL_MS, () =>
      client.workflow.getHandle(workflowId).describe(),
    );
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/** A worker of another version may say something else. */
function toWatched(details: unknown): WatchedTurn | undefined {
  if (typeof details !== 'object' || details === null) return undefined;
  const { slug, turn, lastCheckinAt = null } = details as Partial<WatchedTurn>;
  if (typeof slug !== 'string' || typeof turn !== 'number') return undefined;
  return { slug, turn, lastCheckinAt: typeof lastCheckinAt === 'number' ? lastCheckinAt : null };
}
