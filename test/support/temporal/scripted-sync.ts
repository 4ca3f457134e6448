import type { WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BegunSync, SyncRowActivities } from '../../../src/activities/sync/begin-sync.js';
import type { RunSyncInput } from '../../../src/activities/sync/run-sync.js';
import type { SettleSyncInput } from '../../../src/activities/sync/settle-sync.js';
import type { SyncActivities } from '../../../src/activities/sync/sync-activities.js';
import { NO_BUDGET } from '../../../src/domain/run/model-use.js';
import type { TurnResult } from '../../../src/domain/run/turn.js';
import { SYNC_TIMEOUT_MS, syncWorkflowId, type SyncOrder } from '../../../src/domain/sync/sync.js';
import { SYNC_WORKFLOW, TASK_QUEUE } from '../../../src/workflows/messages.js';
import type { syncWorkflow } from '../../../src/workflows/sync.workflow.js';
import { PREPARED, settledTurn, turnResult } from '../machine/world.js';
import { saveHistory } from './histories.js';
import { ScriptedActivities } from './scripted-activities.js';
import { withWorkers, type AllActivities } from './time-skipping.js';

/** No other sync of this process has it. */
let number = 0;

/** Activities without a world; what was called is kept. */
export class ScriptedSync implements SyncActivities, SyncRowActivities {
  readonly order: SyncOrder;
  readonly rows = new ScriptedActivities(() => ({ run: () => Promise.resolve({}) }));
  readonly ran: RunSyncInput[] = [];
  readonly attached: RunSyncInput[] = [];
  readonly settled: SettleSyncInput[] = [];
  readonly prepared: string[] = [];
  /** Before it is prepared. */
  refusalAtOnce: string | null = null;
  refusal: string | null = null;
  beginFailure: Error | null = null;
  whileClaiming: (() => Promise<{ host: string }>) | null = null;
  whilePreparing: () => Promise<void> = () => Promise.resolve();
  whileAsked: () => Promise<void> = () => Promise.resolve();
  whileRunning: () => Promise<TurnResult> = () => Promise.resolve(turnResult({}));

  constructor(
    private readonly environment: TestWorkflowEnvironment,
    order: Partial<SyncOrder> = {},
  ) {
    this.order = {
      fork: { forge: 'gitea', owner: 'alice', repo: `fork${String((number += 1))}` },
      upstream: 'http://forge.invalid/upstream.git',
      manifest: null,
      opencode: { envFile: '/opencode.env', model: null, variant: null, agent: null },
      timeoutMs: SYNC_TIMEOUT_MS,
      by: 'alice',
      ...order,
    };
  }

  readonly prepareSync: SyncActivities['prepareSync'] = async ({ workflowId, slug }) => {
    this.prepared.push(slug);
    await this.whilePreparing();
    return {
      kind: 'ready',
      run: {
        ...{ workflowId, slug, order: this.order, startSha: 'a', agentBranch: 'bot-bottle/sync-1' },
        refs: {
          ...{ branch: 'main', sha: 'a', upstreamBranch: 'main', upstreamSha: 'b' },
          ...{ behind: 1, earlier: null },
        },
        ...{ knownStuck: [], runDir: '/runs/fork', prepared: PREPARED },
      },
    };
  };
  readonly mayBeginSync: SyncRowActivities['mayBeginSync'] = () =>
    Promise.resolve(begunUnless(this.refusalAtOnce));
  readonly beginSync: SyncRowActivities['beginSync'] = () =>
    this.beginFailure === null
      ? Promise.resolve(begunUnless(this.refusal))
      : Promise.reject(this.beginFailure);
  readonly runSync: SyncActivities['runSync'] = (input) => {
    this.ran.push(input);
    return this.whileRunning();
  };
  readonly reattachSync: SyncActivities['reattachSync'] = (input) => {
    this.attached.push(input);
    return Promise.resolve(turnResult({}));
  };
  readonly settleSync: SyncActivities['settleSync'] = (input) => {
    this.settled.push(input);
    const { run, result, failure } = input;
    const { runDir, slug, agentBranch } = run;
    const pull = result === null ? { pr: null, prUrl: null } : { pr: 7, prUrl: 'u' };
    return Promise.resolve({
      outcome: {
        ...{ status: result === null ? 'failed' : 'verified', reason: failure ?? 'merged' },
        ...{ runDir, slug, branch: agentBranch, ...pull },
      },
      settled: settledTurn({}),
    });
  };

  get activities(): AllActivities & SyncActivities & SyncRowActivities {
    const { prepareSync, mayBeginSync, beginSync, runSync, reattachSync, settleSync, rows } = this;
    const claiming = this.whileClaiming === null ? {} : { claimHost: this.whileClaiming };
    const askHost: AllActivities['askHost'] = (run) =>
      this.whileAsked().then(() => rows.activities.askHost(run));
    const own = { prepareSync, mayBeginSync, beginSync, runSync, reattachSync, settleSync };
    return { ...rows.activities, askHost, ...own, ...claiming };
  }

  /** @param record the name under which its history is kept, when histories are recorded */
  async live(
    work: (handle: WorkflowHandle<typeof syncWorkflow>) => Promise<void>,
    record?: string,
  ): Promise<void> {
    await withWorkers(this.environment, this.activities, async () => {
      const handle = await this.environment.client.workflow.start<typeof syncWorkflow>(SYNC_WORKFLOW, {
        ...{ workflowId: syncWorkflowId(this.order.fork), taskQueue: TASK_QUEUE, args: [this.order] },
      });
      await work(handle);
      if (record !== undefined && process.env['BOT_BOTTLE_RECORD_HISTORIES'] !== undefined)
        await saveHistory(`${record}-1`, await handle.fetchHistory());
    });
  }
}

function begunUnless(refusal: string | null): BegunSync {
  return refusal === null ? { kind: 'begun', budget: NO_BUDGET } : { kind: 'refused', reason: refusal };
}
