/** A fork is merged with its upstream: one container between two remotes (ADR 0050). */
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  executeChild,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { BegunSync, SyncRowActivities } from '../activities/sync/begin-sync.js';
import type { RunSyncInput } from '../activities/sync/run-sync.js';
import type { SettledSync } from '../activities/sync/settle-sync.js';
import type { SyncActivities } from '../activities/sync/sync-activities.js';
import { localSubject } from '../domain/forge/issue.js';
import type { ModelBudget } from '../domain/run/model-use.js';
import type { FrozenReason, TurnResult } from '../domain/run/turn.js';
import { makeLocalSlug } from '../domain/run/slug.js';
import {
  outcomeWithoutRun,
  syncWorkflowId,
  type SyncOrder,
  type SyncOutcome,
  type SyncRun,
  type SyncStatus,
} from '../domain/sync/sync.js';
import { attachments, rows, settling, turns } from './activities.js';
import { failureReason, isLostTurn } from './activity-failures.js';
import { claimHost } from './claim-host.js';
import {
  bottlesQueue,
  stateQuery,
  SYNC_WORKFLOW,
  timelineQuery,
  turnsQueue,
  type RunView,
} from './messages.js';
import { HostSilentError, offerUntilSilent, type TakenWithin } from './offer-to-host.js';
import { detailsOfSync, viewOfSync } from './run-view.js';
import { takeMessages } from './sync-messages.js';

const BACKOFF = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' } as const;

/** A remote that is away longer than this fails the sync: the next one comes. */
const preparing = proxyActivities<Pick<SyncActivities, 'prepareSync'>>({
  startToCloseTimeout: '20 minutes',
  heartbeatTimeout: '10 seconds',
  scheduleToCloseTimeout: '30 minutes',
  retry: { ...BACKOFF, maximumAttempts: 4 },
});

const syncRows = proxyLocalActivities<SyncRowActivities>({
  startToCloseTimeout: '10 seconds',
  scheduleToCloseTimeout: '1 hour',
  retry: BACKOFF,
});

export async function syncWorkflow(order: SyncOrder): Promise<SyncOutcome> {
  const { workflowId, startTime } = workflowInfo();
  const { owner, repo } = order.fork;
  const slug = makeLocalSlug('sync', [owner, repo], Math.random);
  let view = viewOfSync(slug, order);
  const show = (change: Partial<RunView>): void => {
    view = { ...view, ...change };
  };
  setHandler(stateQuery, () => view);
  setHandler(timelineQuery, () => []);
  const merging = new CancellationScope();
  takeMessages(
    () => view,
    (detail) => {
      show({ detail });
      merging.cancel();
    },
  );
  const outcome = await merging.run(async () => {
    // First of all: one that is refused leaves nothing on any host, however often it is due.
    const asking = { summary: 'may it begin?' };
    const asked = await unlessRefused(() => syncRows.mayBeginSync.executeWithOptions(asking, [order.fork]));
    if (asked.kind === 'failed') return outcomeWithoutRun('failed', asked.reason);
    const claimed = await attempt(() => claimHost(null));
    if (claimed.kind === 'failed') return outcomeWithoutRun('failed', claimed.reason);
    const { host } = claimed.value;
    show({ host });
    return sync(host, { workflowId, slug, order, at: startTime.getTime() }, show, () => view.detail);
  });
  setCurrentDetails(detailsOfSync(outcome));
  await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
  return outcome;
}

async function sync(
  host: string,
  asked: Parameters<SyncActivities['prepareSync']>[0],
  show: (change: Partial<RunView>) => void,
  whyOff: () => string | null,
): Promise<SyncOutcome> {
  const fetching = { summary: 'fetch both remotes' };
  const prepared = await attempt(() =>
    onHost(host, asked, fetching, (options) => preparing.prepareSync.executeWithOptions(options, [asked])),
  );
  if (prepared.kind === 'failed') return outcomeWithoutRun('failed', prepared.reason);
  if (prepared.value.kind === 'over') return prepared.value.outcome;
  const { run } = prepared.value;
  const begun = await unlessRefused(() =>
    syncRows.beginSync.executeWithOptions({ summary: 'rows' }, [{ run, host }]),
  );
  show({ phase: 'running' });
  const watched =
    begun.kind === 'failed' ? begun : await attempt(() => watch(host, { run, budget: begun.value }));
  show({ phase: 'freezing' });
  const calledOff = { ...CALLED_OFF, reason: whyOff() ?? CALLED_OFF.reason };
  const ended = CancellationScope.current().consideredCancelled ? calledOff : watched;
  return CancellationScope.nonCancellable(() => settle(host, run, watched, ended));
}

const WHAT_TO_DO = 'start its worker, or one on another host, and sync again';
const CALLED_OFF = { kind: 'failed', reason: 'it was called off' } as const;

/** What it may use. */
async function unlessRefused(ask: () => Promise<BegunSync>): Promise<Attempt<ModelBudget>> {
  const asked = await attempt(ask);
  if (asked.kind === 'failed') return asked;
  const { value } = asked;
  if (value.kind === 'refused') return { kind: 'failed', reason: value.reason };
  return { kind: 'done', value: value.budget };
}

/** Does a step there. Errors: those of the step; `HostSilentError` when nobody took it for as long as the container may work. */
function onHost<T>(
  host: string,
  { slug, order }: Pick<SyncRun, 'slug' | 'order'>,
  step: { readonly summary: string; readonly taskQueue?: string },
  offer: (options: TakenWithin) => Promise<T>,
): Promise<T> {
  const there = { taskQueue: bottlesQueue(host), ...step };
  return offerUntilSilent(host, slug, order.timeoutMs, (limit) => offer({ ...there, ...limit }), WHAT_TO_DO);
}

/** In its slot; by whoever comes next when its watcher was lost. */
async function watch(host: string, input: RunSyncInput): Promise<TurnResult> {
  const merging = { summary: 'merge' };
  const inSlot = { ...merging, taskQueue: turnsQueue(host) };
  try {
    return await onHost(host, input.run, inSlot, (options) =>
      turns.runSync.executeWithOptions(options, [input]),
    );
  } catch (error) {
    if (!isLostTurn(error)) throw error;
    return onHost(host, input.run, merging, (options) =>
      attachments.reattachSync.executeWithOptions(options, [input]),
    );
  }
}

/**
 * @param watched an agent that was stopped because the sync was called off has used something all the same
 * @param ended what becomes of it: nothing of a sync that was called off is published
 */
async function settle(
  host: string,
  run: SyncRun,
  watched: Attempt<TurnResult>,
  ended: Attempt<TurnResult>,
): Promise<SyncOutcome> {
  const result = watched.kind === 'done' ? watched.value : null;
  const tried = await trySettling(host, run, ended);
  const { outcome, settled } = tried.kind === 'done' ? tried.value : unsettled(run, tried.reason);
  const { workflowId, slug } = run;
  const turnEnd = { workflowId, slug, turn: 1, repoId: null, subject: localSubject(slug) };
  const reason = reasonOf(outcome.status);
  if (result !== null) {
    const snapshot = { phase: 'frozen', reason, host, prNumber: null };
    const turn = { ...turnEnd, result, settled, reason, snapshot, watchdogFired: false };
    await rows.recordTurn.executeWithOptions({ summary: 'rows' }, [turn]);
  }
  await rows.recordEnd.executeWithOptions({ summary: 'rows' }, [{ ...turnEnd, endedAt: Date.now() }]);
  return outcome;
}

async function trySettling(
  host: string,
  run: SyncRun,
  ended: Attempt<TurnResult>,
): Promise<Attempt<SettledSync>> {
  if (ended.kind === 'failed' && ended.hostIsSilent === true) return ended;
  const end =
    ended.kind === 'done' ? { result: ended.value, failure: null } : { result: null, failure: ended.reason };
  return attempt(() =>
    onHost(host, run, { summary: 'verify and publish' }, (options) =>
      settling.settleSync.executeWithOptions(options, [{ run, ...end }]),
    ),
  );
}

/** What is on the host stays there until its own sweep. */
function unsettled({ runDir, slug }: SyncRun, reason: string): SettledSync {
  return {
    outcome: { ...outcomeWithoutRun('failed', reason), runDir, slug },
    settled: {
      ...{ publish: { kind: 'nothing', reason }, stuck: false, stuckHash: null, uncommitted: 0 },
      ...{ uncommittedRef: null, head: null, transcriptHash: null },
    },
  };
}

function reasonOf(status: SyncStatus): FrozenReason {
  return status === 'verified' || status === 'unchanged' ? 'done' : status;
}

type Attempt<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly reason: string; readonly hostIsSilent?: boolean };

/** An activity that failed for good, or was called off, is an outcome. */
async function attempt<T>(work: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { kind: 'done', value: await work() };
  } catch (error) {
    if (isCancellation(error)) return CALLED_OFF;
    const hostIsSilent = error instanceof HostSilentError;
    return { kind: 'failed', reason: failureReason(error), hostIsSilent };
  }
}

/** What a schedule starts: Temporal gives its workflows ids of their own, and a fork has one sync at a time. */
export async function scheduledSyncWorkflow(order: SyncOrder): Promise<SyncOutcome> {
  try {
    return (await executeChild(SYNC_WORKFLOW, {
      workflowId: syncWorkflowId(order.fork),
      args: [order],
    })) as SyncOutcome;
  } catch (error) {
    // Of a package that workflows do not load.
    if (!(error instanceof Error) || error.name !== 'WorkflowExecutionAlreadyStartedError') throw error;
    return outcomeWithoutRun('unchanged', 'another sync of the fork is under way');
  }
}
