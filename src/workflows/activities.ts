/** Activity proxies, grouped by queue, time-out and retry policy; each call gets its queue and summary on the spot. */
import { ActivityCancellationType, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type {
  ClaimActivities,
  HereActivities,
  HomeActivities,
  HostActivities,
  TurnActivities,
} from '../activities/ports/interface.js';
import type { SyncActivities } from '../activities/sync/sync-activities.js';
import { CLAIM_QUEUE, TASK_QUEUE } from './messages.js';

/** A worker that was killed is missed after this. */
const HEARTBEAT = '10 seconds';
const BACKOFF = { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '30s' } as const;

/** Within the server's ten seconds for a workflow task: what took longer would cost more events, not less. */
export const promptly = proxyLocalActivities<
  Pick<HomeActivities, 'prepareTurn' | 'checkChange'> & HereActivities
>({
  startToCloseTimeout: '5 seconds',
  retry: { maximumAttempts: 1 },
});

export const home = proxyActivities<Pick<HomeActivities, 'prepareTurn'>>({
  taskQueue: TASK_QUEUE,
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: HEARTBEAT,
  scheduleToCloseTimeout: '7 days',
  retry: BACKOFF,
});

/**
 * Rows, and what is known where workflow tasks run: one marker in history instead of a round trip. They are tried until they
 * are written, however long the disk is full. Waiting inside a workflow task adds three events every eight seconds, and
 * the server ends a run whose history is too long, so a longer wait is a timer. There is no overall limit on purpose:
 * once it had expired, the SDK would not try again even when the disk has room.
 */
export const rows = proxyLocalActivities<
  Omit<HomeActivities, 'prepareTurn' | 'checkChange' | 'tellFrozen' | 'tellChecksStopped'>
>({
  startToCloseTimeout: '10 seconds',
  localRetryThreshold: '5s',
  retry: { ...BACKOFF, maximumInterval: '5 minutes' },
});

/** A reaction or a remark is worth a few tries, and nobody waits for it. */
export const telling = proxyActivities<Pick<HomeActivities, 'tellFrozen' | 'tellChecksStopped'>>({
  taskQueue: TASK_QUEUE,
  startToCloseTimeout: '1 minute',
  scheduleToCloseTimeout: '10 minutes',
  retry: { ...BACKOFF, initialInterval: '2s', maximumAttempts: 4 },
});

export const claims = proxyActivities<ClaimActivities>({
  taskQueue: CLAIM_QUEUE,
  startToCloseTimeout: '10 seconds',
  scheduleToCloseTimeout: '30 days',
  retry: BACKOFF,
});

/**
 * One attempt: who watches next is the workflow's decision. Waiting for a slot, or for an engine that is away, is normal:
 * the turn's own limit counts from its agent's start, and the time here is a backstop only.
 */
export const turns = proxyActivities<TurnActivities & Pick<SyncActivities, 'runSync'>>({
  startToCloseTimeout: '30 days',
  heartbeatTimeout: HEARTBEAT,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { maximumAttempts: 1 },
});

export const attachments = proxyActivities<
  Pick<HostActivities, 'reattachBottle'> & Pick<SyncActivities, 'reattachSync'>
>({
  startToCloseTimeout: '30 days',
  heartbeatTimeout: HEARTBEAT,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { ...BACKOFF, maximumInterval: '5s' },
});

export const checkins = proxyActivities<Pick<HostActivities, 'lastCheckinAge'>>({
  startToCloseTimeout: '10 seconds',
  scheduleToCloseTimeout: '2 minutes',
  retry: BACKOFF,
});

/** Asked of a host that is silent, for as long as that takes. */
export const questions = proxyActivities<Pick<HostActivities, 'askHost'>>({
  startToCloseTimeout: '30 seconds',
  retry: BACKOFF,
});

/** The agent waits for this one: what takes longer is refused, and the end of the turn publishes all the same. */
export const gate = proxyActivities<Pick<HostActivities, 'publishWork'>>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: HEARTBEAT,
  scheduleToCloseTimeout: '10 minutes',
  retry: BACKOFF,
});

/** An operator and an agent wait for it; a host that is away is told of soon, and hears when it is too late. */
export const changes = proxyActivities<Pick<HostActivities, 'applyChange'>>({
  startToCloseTimeout: '20 seconds',
  heartbeatTimeout: HEARTBEAT,
  scheduleToCloseTimeout: '1 minute',
  retry: BACKOFF,
});

/** As long as a build may take, twice: what is wrong with the steps themselves is no failure, and is not tried again. */
export const builds = proxyActivities<Pick<HostActivities, 'rebuildImage'>>({
  startToCloseTimeout: '35 minutes',
  heartbeatTimeout: HEARTBEAT,
  scheduleToCloseTimeout: '70 minutes',
  retry: BACKOFF,
});

/** Who wakes the run meanwhile waits for this: what takes longer is left to the next sweep. */
export const archiving = proxyActivities<Pick<HostActivities, 'archiveBottle'>>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: HEARTBEAT,
  scheduleToCloseTimeout: '2 minutes',
  retry: BACKOFF,
});

/**
 * Retried while the forge or the engine is away, for a day: what fails by what the agent left has an answer or ends by
 * itself (`atMostThrice`), and what takes too long would again.
 */
export const settling = proxyActivities<
  Pick<HostActivities, 'freezeBottle'> & Pick<SyncActivities, 'settleSync'>
>({
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: HEARTBEAT,
  scheduleToCloseTimeout: '1 day',
  retry: { ...BACKOFF, nonRetryableErrorTypes: ['TemporalTimeout:StartToClose'] },
});

export const destroying = proxyActivities<Pick<HostActivities, 'destroyBottle'>>({
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: HEARTBEAT,
  scheduleToCloseTimeout: '30 days',
  retry: BACKOFF,
});
