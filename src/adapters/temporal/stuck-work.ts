import type { Client } from '@temporalio/client';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { optionalTsToMs } from '@temporalio/common/lib/time.js';
import proto from '@temporalio/proto';
import { mapLimited } from '../../domain/base/map-limited.js';
import type { FailingTask, RetriedActivity, StandingRun, StuckWork } from '../../domain/upkeep/stuck-work.js';
import { bottlesQueue, CLAIM_QUEUE, TASK_QUEUE, WATCHING } from '../../workflows/messages.js';
import { IS_OPEN } from './deployment.js';
import { isNotFound } from './grpc-status.js';

const { PendingActivityState, TaskQueueType } = proto.temporal.api.enums.v1;
type Described = proto.temporal.api.workflowservice.v1.IDescribeWorkflowExecutionResponse;
type Event = proto.temporal.api.history.v1.IHistoryEvent;
type Failure = proto.temporal.api.failure.v1.IFailure;

/** Executions that are looked at. */
const MOST = 500;
const AT_ONCE = 10;
/** Events, from the end, of an execution that something is wrong with. */
const EVENTS = 250;
const RETRIED_MS = 10 * 60_000;
/** A poll takes a minute, and the server remembers pollers for five. */
const POLLED_MS = 2 * 60_000;
const MAX_ERROR = 300;

export interface LookedAt {
  /** Of this home; `null` before its first run. */
  readonly host: string | null;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * Asks Temporal itself, so it works while no worker does. Open executions are described one by one: servers fill the
 * search attribute `TemporalReportedProblems` late or, as 1.32 by default, not at all (tried). Errors: gRPC's.
 */
export async function stuckWork(client: Client, { host, now }: LookedAt): Promise<StuckWork> {
  const ids: string[] = [];
  const query = `TaskQueue = '${TASK_QUEUE}' AND ${IS_OPEN}`;
  for await (const { workflowId } of client.workflow.list({ query })) {
    ids.push(workflowId);
    if (ids.length > MOST) break;
  }
  const workflows = await pollersOf(client, TASK_QUEUE, TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW, now);
  const versions = workflows.flatMap(({ deploymentOptions }) => deploymentOptions?.buildId ?? []);
  const [found, idleQueues] = await Promise.all([
    mapLimited(ids.slice(0, MOST), AT_ONCE, (id) => stuckIn(client, id, now, versions)),
    queuesWithoutPoller(client, { host, now }),
  ]);
  return {
    open: Math.min(ids.length, MOST),
    isCut: ids.length > MOST,
    failing: found.flatMap(({ failing }) => failing),
    retried: found.flatMap(({ retried }) => retried),
    standing: found.flatMap(({ standing }) => standing),
    idleQueues,
  };
}

async function stuckIn(
  client: Client,
  workflowId: string,
  now: number,
  versions: readonly string[],
): Promise<Pick<StuckWork, 'failing' | 'retried' | 'standing'>> {
  const described = await describe(client, workflowId);
  const standing = standingRun(workflowId, described, versions);
  const attempt = described?.pendingWorkflowTask?.attempt ?? 1;
  // While one stays with an agent, its attempts are restarts of workers.
  const pending = (described?.pendingActivities ?? []).filter(
    ({ attempt: tries, activityType, state }) =>
      (tries ?? 1) > 1 &&
      !(
        state === PendingActivityState.PENDING_ACTIVITY_STATE_STARTED &&
        WATCHING.includes(activityType?.name ?? '')
      ),
  );
  if (attempt <= 1 && pending.length === 0) return { failing: [], retried: [], standing };
  const events = await lastEvents(client, workflowId);
  const failing: FailingTask[] = [];
  if (attempt > 1) {
    const failure = events.find(({ workflowTaskFailedEventAttributes: failed }) => failed)
      ?.workflowTaskFailedEventAttributes?.failure;
    failing.push({ workflowId, attempt, error: await messageOf(client, failure) });
  }
  const retried: RetriedActivity[] = [];
  for (const { activityId, activityType, attempt: tries, lastFailure } of pending) {
    // The description tells of the latest attempt only.
    const scheduled = events.find(
      (event) => event.activityTaskScheduledEventAttributes?.activityId === activityId,
    );
    const since = optionalTsToMs(scheduled?.eventTime) ?? null;
    if (since !== null && now - since < RETRIED_MS) continue;
    const error = await messageOf(client, lastFailure);
    retried.push({
      workflowId,
      activity: activityType?.name ?? 'unknown',
      attempt: tries ?? 1,
      error,
      since,
    });
  }
  return { failing, retried, standing };
}

/** @param versions that workers ask for work of; none while no worker runs, which is told of the queues */
function standingRun(
  workflowId: string,
  described: Described | undefined,
  versions: readonly string[],
): readonly StandingRun[] {
  const { deploymentVersion, versioningOverride } = described?.workflowExecutionInfo?.versioningInfo ?? {};
  const version = deploymentVersion?.buildId;
  // With an override it goes on with another version.
  if (!version || versioningOverride || versions.length === 0 || versions.includes(version)) return [];
  return [{ workflowId, version }];
}

/** As it comes: what can't be decrypted must not hide the rest. */
async function describe(client: Client, workflowId: string): Promise<Described | undefined> {
  const { namespace } = client.options;
  try {
    return await client.workflowService.describeWorkflowExecution({ namespace, execution: { workflowId } });
  } catch (error) {
    // It ended since it was listed.
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Newest first. */
async function lastEvents(client: Client, workflowId: string): Promise<readonly Event[]> {
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution: { workflowId },
    maximumPageSize: EVENTS,
  });
  return history?.events ?? [];
}

async function messageOf(client: Client, failure: Failure | null | undefined): Promise<string | null> {
  const { loadedDataConverter } = client.options;
  try {
    const error = await decodeOptionalFailureToOptionalError(loadedDataConverter, failure);
    return error?.message.slice(0, MAX_ERROR) ?? null;
  } catch (error) {
    return error instanceof Error ? error.message : 'unreadable';
  }
}

/** `turns@` is polled by the same worker, but not while all its slots are taken. */
async function queuesWithoutPoller(client: Client, { host, now }: LookedAt): Promise<string[]> {
  const { TASK_QUEUE_TYPE_WORKFLOW: workflows, TASK_QUEUE_TYPE_ACTIVITY: activities } = TaskQueueType;
  const queues = [
    { name: TASK_QUEUE, type: workflows },
    { name: TASK_QUEUE, type: activities },
    { name: CLAIM_QUEUE, type: activities },
    ...(host === null ? [] : [{ name: bottlesQueue(host), type: activities }]),
  ];
  const idle = await Promise.all(
    queues.map(async ({ name, type }) => {
      const pollers = await pollersOf(client, name, type, now);
      return pollers.length > 0 ? [] : [name];
    }),
  );
  return [...new Set(idle.flat())];
}

async function pollersOf(
  client: Client,
  name: string,
  taskQueueType: proto.temporal.api.enums.v1.TaskQueueType,
  now: number,
): Promise<readonly proto.temporal.api.taskqueue.v1.IPollerInfo[]> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name },
    taskQueueType,
  });
  return pollers.filter(({ lastAccessTime }) => now - (optionalTsToMs(lastAccessTime) ?? 0) < POLLED_MS);
}
