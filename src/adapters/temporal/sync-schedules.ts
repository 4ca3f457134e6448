import { ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client';
import type { Client, ScheduleDescription, ScheduleOptions } from '@temporalio/client';
import { isRecord } from '../../domain/base/is-record.js';
import { FORGE_KINDS, isForgeName, isOwnerName, type RepoRef } from '../../domain/forge/issue.js';
import { syncWorkflowId, type SyncOrder } from '../../domain/sync/sync.js';
import { SCHEDULED_SYNC_WORKFLOW, TASK_QUEUE } from '../../workflows/messages.js';
import { isUnreadable, putSchedule, removeSchedule, type Put, type Removed } from './put-schedule.js';

const CALL_MS = 10_000;
/** One that was due while Temporal was away is made up for if it was due within this. */
const CATCHUP_MS = 3_600_000;
const PREFIX = 'bot-bottle-';
const ID = /^bot-bottle-sync:([a-z]+):([^/]+)\/([^/]+)$/;

export interface ListedSync {
  readonly fork: RepoRef;
  /** `null` for a schedule that cannot be decoded: the key that it was encrypted with is gone. */
  readonly upstream: string | null;
  readonly everyMs: number | null;
  /** Epoch milliseconds; `null` while it is paused. */
  readonly nextAt: number | null;
}

/** One schedule a fork, never two syncs at once. May be repeated: the last word counts. Errors: Temporal's. */
export async function setSyncSchedule(client: Client, order: SyncOrder, everyMs: number): Promise<Put> {
  const id = PREFIX + syncWorkflowId(order.fork);
  const { owner, repo } = order.fork;
  const options: ScheduleOptions = {
    scheduleId: id,
    spec: { intervals: [{ every: everyMs }] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: CATCHUP_MS },
    action: {
      type: 'startWorkflow',
      workflowType: SCHEDULED_SYNC_WORKFLOW,
      workflowId: id,
      taskQueue: TASK_QUEUE,
      args: [order],
      staticSummary: `Merge upstream into ${owner}/${repo}`,
    },
  };
  return client.withDeadline(Date.now() + CALL_MS, () => putSchedule(client, options));
}

export async function removeSyncSchedule(client: Client, fork: RepoRef): Promise<Removed> {
  const id = PREFIX + syncWorkflowId(fork);
  return client.withDeadline(Date.now() + CALL_MS, () => removeSchedule(client, id));
}

/** By the fork's name. */
export async function listSyncSchedules(client: Client): Promise<ListedSync[]> {
  return client.withDeadline(Date.now() + CALL_MS, async () => {
    const found: ListedSync[] = [];
    for await (const listed of client.schedule.list()) {
      const fork = forkOfSchedule(listed.scheduleId);
      if (fork === undefined) continue;
      // The list may be behind, and has less, but nothing that is encrypted.
      const described = await readableOf(client, listed.scheduleId);
      if (described === 'gone') continue;
      const { spec, info, state } = described ?? listed;
      found.push({
        fork,
        upstream: upstreamOf(described?.action.args?.[0]),
        everyMs: spec?.intervals?.[0]?.every ?? null,
        nextAt: state.paused ? null : (info.nextActionTimes[0]?.getTime() ?? null),
      });
    }
    return found.sort((a, b) => (syncWorkflowId(a.fork) < syncWorkflowId(b.fork) ? -1 : 1));
  });
}

/**
 * Writes each as it is, so that it is encrypted with the first key of now and an older one can go. May be repeated.
 * Resolves with the forks whose orders cannot be decoded. Errors: Temporal's.
 */
export async function renewSyncSchedules(client: Client): Promise<RepoRef[]> {
  const lost: RepoRef[] = [];
  for (const { fork } of await listSyncSchedules(client)) {
    const handle = client.schedule.getHandle(PREFIX + syncWorkflowId(fork));
    try {
      await client.withDeadline(Date.now() + CALL_MS, () =>
        handle.update(({ spec, policies, action, state }) => ({ spec, policies, action, state })),
      );
    } catch (error) {
      if (isUnreadable(error)) lost.push(fork);
      // Removed meanwhile, as may be.
      else if (!(error instanceof ScheduleNotFoundError)) throw error;
    }
  }
  return lost;
}

/** `undefined` for what cannot be decoded. */
async function readableOf(client: Client, id: string): Promise<ScheduleDescription | 'gone' | undefined> {
  try {
    return await client.schedule.getHandle(id).describe();
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    if (error instanceof ScheduleNotFoundError) return 'gone';
    throw error;
  }
}

function forkOfSchedule(id: string): RepoRef | undefined {
  const [, kind, owner, repo] = ID.exec(id) ?? [];
  const forge = FORGE_KINDS.find((known) => known === kind);
  return forge !== undefined && isOwnerName(owner) && isForgeName(repo) ? { forge, owner, repo } : undefined;
}

function upstreamOf(order: unknown): string | null {
  return isRecord(order) && typeof order['upstream'] === 'string' ? order['upstream'] : null;
}
