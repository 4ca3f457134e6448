import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type Client,
} from '@temporalio/client';
import { FORGE_KINDS, isForgeName, type RepoRef } from '../../domain/forge/issue.js';
import { syncWorkflowId, type SyncOrder } from '../../domain/sync/sync.js';
import { SCHEDULED_SYNC_WORKFLOW, TASK_QUEUE } from '../../workflows/messages.js';

const CALL_MS = 10_000;
/** One that was due while Temporal was away is made up for if it was due within this. */
const CATCHUP_MS = 3_600_000;
const PREFIX = 'bot-bottle-';
const ID = /^bot-bottle-sync:([a-z]+):([^/]+)\/([^/]+)$/;

export interface ListedSync {
  readonly fork: RepoRef;
  readonly upstream: string | null;
  readonly everyMs: number | null;
  /** Epoch milliseconds; `null` while it is paused. */
  readonly nextAt: number | null;
}

/** One schedule a fork, never two syncs at once. May be repeated: the last word counts. Errors: Temporal's. */
export async function setSyncSchedule(
  client: Client,
  order: SyncOrder,
  everyMs: number,
): Promise<'created' | 'updated'> {
  const id = PREFIX + syncWorkflowId(order.fork);
  const { owner, repo } = order.fork;
  const spec = { intervals: [{ every: everyMs }] };
  const policies = { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: CATCHUP_MS };
  const action = {
    type: 'startWorkflow' as const,
    workflowType: SCHEDULED_SYNC_WORKFLOW,
    workflowId: id,
    taskQueue: TASK_QUEUE,
    args: [order],
    staticSummary: `Merge upstream into ${owner}/${repo}`,
  };
  return client.withDeadline(Date.now() + CALL_MS, async () => {
    try {
      await client.schedule.create({ scheduleId: id, spec, policies, action });
      return 'created';
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    }
    const handle = client.schedule.getHandle(id);
    await handle.update(({ state }) => ({ spec, policies, action, state }));
    return 'updated';
  });
}

export async function removeSyncSchedule(client: Client, fork: RepoRef): Promise<'removed' | 'absent'> {
  try {
    await client.withDeadline(Date.now() + CALL_MS, () =>
      client.schedule.getHandle(PREFIX + syncWorkflowId(fork)).delete(),
    );
    return 'removed';
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return 'absent';
    throw error;
  }
}

/** By the fork's name. */
export async function listSyncSchedules(client: Client): Promise<ListedSync[]> {
  return client.withDeadline(Date.now() + CALL_MS, async () => {
    const found: ListedSync[] = [];
    for await (const { scheduleId } of client.schedule.list()) {
      const fork = forkOfSchedule(scheduleId);
      if (fork === undefined) continue;
      // The list may be behind, and has less.
      const { spec, info, state, action } = await client.schedule.getHandle(scheduleId).describe();
      found.push({
        fork,
        upstream: upstreamOf(action.args?.[0]),
        everyMs: spec.intervals?.[0]?.every ?? null,
        nextAt: state.paused ? null : (info.nextActionTimes[0]?.getTime() ?? null),
      });
    }
    return found.sort((a, b) => (syncWorkflowId(a.fork) < syncWorkflowId(b.fork) ? -1 : 1));
  });
}

function forkOfSchedule(id: string): RepoRef | undefined {
  const [, kind, owner, repo] = ID.exec(id) ?? [];
  const forge = FORGE_KINDS.find((known) => known === kind);
  return forge !== undefined && isForgeName(owner) && isForgeName(repo) ? { forge, owner, repo } : undefined;
}

function upstreamOf(order: unknown): string | null {
  if (typeof order !== 'object' || order === null || !('upstream' in order)) return null;
  return typeof order.upstream === 'string' ? order.upstream : null;
}
