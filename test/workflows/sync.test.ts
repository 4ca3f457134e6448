import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { WorkflowUpdateFailedError, type WorkflowHandle } from '@temporalio/client';
import type { SyncRowActivities } from '../../src/activities/sync/begin-sync.js';
import type { RunSyncInput } from '../../src/activities/sync/run-sync.js';
import type { SettleSyncInput } from '../../src/activities/sync/settle-sync.js';
import type { SyncActivities } from '../../src/activities/sync/sync-activities.js';
import { NO_BUDGET } from '../../src/domain/run/model-use.js';
import { SYNC_TIMEOUT_MS, syncWorkflowId, type SyncOrder } from '../../src/domain/sync/sync.js';
import type { TurnResult } from '../../src/domain/run/turn.js';
import { commandUpdates, TASK_QUEUE, SYNC_WORKFLOW } from '../../src/workflows/messages.js';
import { scheduledSyncWorkflow, type syncWorkflow } from '../../src/workflows/sync.workflow.js';
import { waitUntil } from '../support/stack/stack.js';
import { PREPARED, settledTurn, turnResult } from '../support/machine/world.js';
import { saveHistory } from '../support/temporal/histories.js';
import { Gate } from '../support/temporal/proposing-run.js';
import { ScriptedActivities } from '../support/temporal/scripted-activities.js';
import { timeSkipping } from '../support/temporal/skipping-server.js';
import { withWorkers } from '../support/temporal/time-skipping.js';

/** No other sync of this file has it. */
let number = 0;

describe('a sync, as a workflow', function () {
  this.timeout(60_000);
  const environment = timeSkipping();

  /** Activities without a world; what was called is kept. */
  class Sync implements SyncActivities, SyncRowActivities {
    readonly order: SyncOrder = {
      fork: { forge: 'gitea', owner: 'alice', repo: `fork${String((number += 1))}` },
      upstream: 'http://forge.invalid/upstream.git',
      manifest: null,
      opencode: { envFile: '/opencode.env', model: null, variant: null, agent: null },
      timeoutMs: SYNC_TIMEOUT_MS,
      by: 'alice',
    };
    readonly rows = new ScriptedActivities(() => ({ run: () => Promise.resolve({}) }));
    readonly ran: RunSyncInput[] = [];
    readonly attached: RunSyncInput[] = [];
    readonly settled: SettleSyncInput[] = [];
    refusal: string | null = null;
    beginFailure: Error | null = null;
    whileClaiming: (() => Promise<{ host: string }>) | null = null;
    whileRunning: () => Promise<TurnResult> = () => Promise.resolve(turnResult({}));

    readonly prepareSync: SyncActivities['prepareSync'] = ({ workflowId, slug }) =>
      Promise.resolve({
        kind: 'ready',
        run: {
          ...{ workflowId, slug, order: this.order, startSha: 'a', agentBranch: 'bot-bottle/sync-1' },
          refs: {
            ...{ branch: 'main', sha: 'a', upstreamBranch: 'main', upstreamSha: 'b' },
            ...{ behind: 1, earlier: null },
          },
          ...{ knownStuck: [], runDir: '/runs/fork', prepared: PREPARED },
        },
      });
    readonly beginSync: SyncRowActivities['beginSync'] = () => {
      if (this.beginFailure !== null) return Promise.reject(this.beginFailure);
      return Promise.resolve(
        this.refusal === null
          ? { kind: 'begun', budget: NO_BUDGET }
          : { kind: 'refused', reason: this.refusal },
      );
    };
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

    /** @param record the name under which its history is kept, when histories are recorded */
    async live(
      work: (handle: WorkflowHandle<typeof syncWorkflow>) => Promise<void>,
      record?: string,
    ): Promise<void> {
      const { prepareSync, beginSync, runSync, reattachSync, settleSync, rows } = this;
      const claiming = this.whileClaiming === null ? {} : { claimHost: this.whileClaiming };
      const own = { prepareSync, beginSync, runSync, reattachSync, settleSync, ...claiming };
      await withWorkers(environment(), { ...rows.activities, ...own }, async () => {
        const handle = await environment().client.workflow.start<typeof syncWorkflow>(SYNC_WORKFLOW, {
          ...{ workflowId: syncWorkflowId(this.order.fork), taskQueue: TASK_QUEUE, args: [this.order] },
        });
        await work(handle);
        if (record !== undefined && process.env['BOT_BOTTLE_RECORD_HISTORIES'] !== undefined)
          await saveHistory(`${record}-1`, await handle.fetchHistory());
      });
    }
  }

  it('runs one container, settles what it left, and its rows have an end', async () => {
    const sync = new Sync();
    await sync.live(async (handle) => {
      const { status, pr, slug } = await handle.result();
      assert.deepEqual([status, pr], ['verified', 7]);
      assert.equal(sync.ran.length + sync.attached.length, 1);
      assert.deepEqual(
        [sync.rows.recorded, sync.rows.ended].map(([row]) => row?.slug),
        [slug, slug],
      );
    }, 'sync-verified');
  });

  it('is watched by the next worker when its own was lost: the agent is not started again', async () => {
    const sync = new Sync();
    sync.whileRunning = () =>
      Promise.reject(
        ApplicationFailure.create({ message: 'going away', type: 'TurnDetached', nonRetryable: true }),
      );
    await sync.live(async (handle) => {
      assert.equal((await handle.result()).status, 'verified');
      assert.deepEqual([sync.ran.length, sync.attached.length], [1, 1]);
      assert.deepEqual(sync.attached, sync.ran);
    }, 'sync-reattached');
  });

  /** Works until it is stopped. */
  async function untilCancelled(): Promise<TurnResult> {
    const { heartbeat, cancelled } = Context.current();
    const beats = setInterval(() => {
      heartbeat();
    }, 200);
    return cancelled.finally(() => {
      clearInterval(beats);
    });
  }

  /** What is there is cleared away all the same. */
  async function isCalledOff(sync: Sync, handle: WorkflowHandle<typeof syncWorkflow>): Promise<void> {
    const { status, reason } = await handle.result();
    assert.deepEqual([status, reason], ['failed', 'it was called off']);
    assert.deepEqual(
      sync.settled.map(({ result }) => result),
      [null],
    );
    assert.equal(sync.rows.ended.length, 1);
  }

  it('that is cancelled stops its agent', async () => {
    const sync = new Sync();
    sync.whileRunning = untilCancelled;
    await sync.live(async (handle) => {
      await waitUntil('the agent to work', () => sync.ran.length === 1);
      await handle.cancel();
      await isCalledOff(sync, handle);
    }, 'sync-cancelled');
  });

  it('is called off by an operator, whose act has a row; it takes nothing else', async () => {
    const sync = new Sync();
    sync.whileRunning = untilCancelled;
    await sync.live(async (handle) => {
      await waitUntil('the agent to work', () => sync.ran.length === 1);
      for (const kind of ['freeze', 'resume', 'done', 'budget', 'extend', 'move'] as const) {
        const args: [object] = [kind === 'extend' ? { ms: 1_000 } : {}];
        await assert.rejects(
          handle.executeUpdate(commandUpdates[kind], { args }),
          (error) =>
            error instanceof WorkflowUpdateFailedError &&
            error.cause?.message.includes('takes destroy') === true,
          kind,
        );
      }
      await assert.rejects(handle.executeUpdate(commandUpdates.destroy, { args: [{ until: 1 }] }));
      await assert.rejects(
        handle.executeUpdate(commandUpdates.destroy, { args: [{ by: 'a'.repeat(10_000) }] }),
      );
      const { slug, phase } = await handle.executeUpdate(commandUpdates.destroy, {
        args: [{ by: 'alice@desk' }],
      });
      assert.equal(phase, 'destroying');
      await isCalledOff(sync, handle);
      assert.deepEqual(
        sync.rows.commanded.map((row) => [row.kind, row.who, row.slug, row.workflowId]),
        [['destroy', 'alice@desk', slug, handle.workflowId]],
      );
    }, 'sync-destroyed');
  });

  it('that no host has taken yet is called off like any other', async () => {
    const sync = new Sync();
    const gate = new Gate();
    sync.rows.soleHost = null;
    let claims = 0;
    sync.whileClaiming = async () => {
      claims += 1;
      await gate.opened;
      return { host: 'test' };
    };
    await sync.live(async (handle) => {
      await waitUntil('a host to be asked', () => claims === 1);
      await handle.executeUpdate(commandUpdates.destroy, { args: [{ by: 'alice@desk' }] });
      const { status, reason } = await handle.result();
      assert.deepEqual([status, reason], ['failed', 'it was called off']);
      gate.open();
    });
  });

  it('settles its directory where its rows cannot be written', async () => {
    const sync = new Sync();
    sync.beginFailure = ApplicationFailure.nonRetryable('the database is broken');
    await sync.live(async (handle) => {
      const { status, reason } = await handle.result();
      assert.deepEqual([status, reason], ['failed', 'the database is broken']);
      assert.deepEqual([sync.ran.length, sync.settled.length], [0, 1]);
    });
  });

  it('starts no container while new turns are paused', async () => {
    const sync = new Sync();
    sync.refusal = 'new turns are paused';
    await sync.live(async (handle) => {
      const { status, reason } = await handle.result();
      assert.deepEqual([status, reason], ['failed', 'new turns are paused']);
      assert.deepEqual(sync.ran, []);
    });
  });

  it('takes no signal, whatever is in it, and goes on', async () => {
    const sync = new Sync();
    const end = new Gate();
    sync.whileRunning = () => end.opened.then(() => turnResult({}));
    await sync.live(async (handle) => {
      const { workflowService, options } = environment().client;
      for (const signalName of ['paused', '__temporal_x'])
        await workflowService.signalWorkflowExecution({
          namespace: options.namespace,
          workflowExecution: { workflowId: handle.workflowId },
          signalName,
          input: { payloads: [{ metadata: {}, data: Buffer.from('hello') }] },
          requestId: randomUUID(),
        });
      end.open();
      assert.equal((await handle.result()).status, 'verified');
    });
  });

  it('is left alone by its schedule while it is under way', async () => {
    const sync = new Sync();
    const end = new Gate();
    sync.whileRunning = () => end.opened.then(() => turnResult({}));
    await sync.live(async (handle) => {
      const due = await environment().client.workflow.execute(scheduledSyncWorkflow, {
        ...{ workflowId: `due-${handle.workflowId}`, taskQueue: TASK_QUEUE, args: [sync.order] },
      });
      assert.deepEqual([due.status, due.reason], ['unchanged', 'another sync of the fork is under way']);
      end.open();
      assert.equal((await handle.result()).status, 'verified');
      assert.equal(sync.ran.length, 1);
    });
  });
});
