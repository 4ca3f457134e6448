import { ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client';
import type { Client, ScheduleDescription, ScheduleOptions } from '@temporalio/client';
import { isRecord } from '../../domain/base/is-record.js';
import { FORGE_KINDS, isForgeName, isOwnerName, type RepoRef } from '../../domain/forge/issue.js';
import { syncWorkflowId, type ScheduledSync, type SyncOrder } from '../../domain/sync/sync.js';
import { SCHEDULED_SYNC_WORKFLOW, TASK_QUEUE } from '../../workflows/messages.js';
import { isUnreadable, putSchedule, removeSchedule, type Put, type Removed } from './put-schedule.js';

const CALL_MS = 10_000;
/** One that was due while Temporal was away is made up for if it was due within this. */
const CATCHUP_MS = 3_600_000;
const PREFIX = 'bot-bottle-';
const ID = /^bot-bottle-sync:([a-z]+):([^/]+)\/([^/]+)$/;

export interface ListedSync extends ScheduledSync {
  readonly scheduleId: string;
}

/** One schedule a fork, never two syncs at once. May be repeated: the last word counts. Errors: Temporal's. */
export async function setSyncSchedule(client: Client, order: SyncOrder, everyMs: number): Promise<Put> {
  const { owner, repo } = order.fork;
  const optionsOf = (id: string): ScheduleOptions => ({
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
  });
  return client.withDeadline(Date.now() + CALL_MS, async () => {
    const [kept, ...others] = await idsOf(client, order.fork);
    for (const id of others) await removeSchedule(client, id);
    return putSchedule(client, optionsOf(kept));
  });
}

export async function removeSyncSchedule(client: Client, fork: RepoRef): Promise<Removed> {
  return client.withDeadline(Date.now() + CALL_MS, async () => {
    const removed: Removed[] = [];
    for (const id of await idsOf(client, fork)) removed.push(await removeSchedule(client, id));
    return removed.find((one) => one === 'removed') ?? 'absent';
  });
}

/**
 * The id that counts, then any other. Earlier versions spelled the fork as its clone does: where there is one of those
 * alone, it goes on, since an operator may have paused it.
 */
async function idsOf(client: Client, fork: RepoRef): Promise<[string, ...string[]]> {
  const id = PREFIX + syncWorkflowId(fork);
  const spelled: string[] = [];
  for await (const { scheduleId } of client.schedule.list())
    if (scheduleId.toLowerCase() === id) spelled.push(scheduleId);
  // The list may be behind.
  if (spelled.length === 0 || spelled.includes(id)) return [id, ...spelled.filter((one) => one !== id)];
  const [first = id, ...rest] = spelled;
  return [first, ...rest, id];
}

/** By the fork's name. */
export async function listSyncSchedules(client: Client): Promise<ListedSync[]> {
  return client.withDeadline(Date.now() + CALL_MS, async () => {
    const found: ListedSync[] = [];
    for await (const listed of client.schedule.list()) {
      const { scheduleId } = listed;
      const fork = forkOfSchedule(scheduleId);
      if (fork === undefined) continue;
      // The list may be behind, and has less, but nothing that is encrypted.
      const described = await readableOf(client, scheduleId);
      if (described === 'gone') continue;
      const { spec, info, state } = described ?? listed;
      const order: unknown = described?.action.args?.[0];
      found.push({
        ...{ scheduleId, fork: forkOf(order, fork), upstream: upstreamOf(order) },
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
  for (const { scheduleId, fork } of await listSyncSchedules(client)) {
    const handle = client.schedule.getHandle(scheduleId);
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

/** As the order spells it: the id is in lower case. */
function forkOf(order: unknown, byId: RepoRef): RepoRef {
  const { owner, repo } = isRecord(order) && isRecord(order['fork']) ? order['fork'] : byId;
  if (typeof owner !== 'string' || typeof repo !== 'string') return byId;
  const spelled = { ...byId, owner, repo };
  return syncWorkflowId(spelled) === syncWorkflowId(byId) ? spelled : byId;
}

function upstreamOf(order: unknown): string | null {
  return isRecord(order) && typeof order['upstream'] === 'string' ? order['upstream'] : null;
}
