import assert from 'node:assert/strict';
import { ApplicationFailure } from '@temporalio/common';
import { WorkflowUpdateFailedError, type WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { bottlesQueue, commandUpdates, TASK_QUEUE, turnsQueue } from '../../src/workflows/messages.js';
import { scheduledSyncWorkflow, type syncWorkflow } from '../../src/workflows/sync.workflow.js';
import { waitUntil } from '../support/stack/stack.js';
import { turnResult } from '../support/machine/world.js';
import { Gate } from '../support/temporal/proposing-run.js';
import { localServer } from '../support/temporal/local-server.js';
import { untilCalledOff } from '../support/temporal/scripted-activities.js';
import { ScriptedSync } from '../support/temporal/scripted-sync.js';
import { timeSkipping } from '../support/temporal/skipping-server.js';

describe('a sync, as a workflow', function () {
  this.timeout(60_000);
  const environment = timeSkipping();

  const scripted = (): ScriptedSync => new ScriptedSync(environment());

  it('runs one container, settles what it left, and its rows have an end', async () => {
    const sync = scripted();
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
    const sync = scripted();
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

  it('has the time limits of any turn: its own is the agent’s, not that of a slot or an image', async () => {
    const sync = scripted();
    await sync.live(async (handle) => {
      await handle.result();
      const { events } = await handle.fetchHistory();
      const asked = (events ?? []).flatMap((event) => event.activityTaskScheduledEventAttributes ?? []);
      const of = (name: string) => asked.find(({ activityType }) => activityType?.name === name);
      const hours = Number(of('runSync')?.startToCloseTimeout?.seconds) / 3_600;
      assert.ok(hours > 24 * 7, String(hours));
      assert.deepEqual(of('settleSync')?.retryPolicy?.nonRetryableErrorTypes, [
        'TemporalTimeout:StartToClose',
      ]);
    });
  });

  /** What is there is cleared away all the same. */
  async function isCalledOff(sync: ScriptedSync, handle: WorkflowHandle<typeof syncWorkflow>): Promise<void> {
    const { status, reason } = await handle.result();
    assert.deepEqual([status, reason], ['failed', 'it was called off']);
    assert.deepEqual(
      sync.settled.map(({ result }) => result),
      [null],
    );
    assert.equal(sync.rows.ended.length, 1);
  }

  it('that is cancelled stops its agent', async () => {
    const sync = scripted();
    sync.whileRunning = untilCalledOff;
    await sync.live(async (handle) => {
      await waitUntil('the agent to work', () => sync.ran.length === 1);
      await handle.cancel();
      await isCalledOff(sync, handle);
    }, 'sync-cancelled');
  });

  it('that is called off has used what its agent used until it was stopped', async () => {
    const sync = scripted();
    const result = turnResult({ exitCode: 143 });
    // As the watching does once it has stopped the agent.
    sync.whileRunning = () => untilCalledOff().catch(() => result);
    await sync.live(async (handle) => {
      await waitUntil('the agent to work', () => sync.ran.length === 1);
      await handle.executeUpdate(commandUpdates.destroy, { args: [{ by: 'alice@desk' }] });
      await isCalledOff(sync, handle);
      assert.deepEqual(
        sync.rows.recorded.map((turn) => [turn.result, turn.reason]),
        [[result, 'failed']],
      );
    });
  });

  it('is called off by an operator, whose act has a row; it takes nothing else', async () => {
    const sync = scripted();
    sync.whileRunning = untilCalledOff;
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
    const sync = scripted();
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
    const sync = scripted();
    sync.beginFailure = ApplicationFailure.nonRetryable('the database is broken');
    await sync.live(async (handle) => {
      const { status, reason } = await handle.result();
      assert.deepEqual([status, reason], ['failed', 'the database is broken']);
      assert.deepEqual([sync.ran.length, sync.settled.length], [0, 1]);
    });
  });

  it('is left alone by its schedule while it is under way', async () => {
    const sync = scripted();
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

describe('a sync on a host of its own', function () {
  this.timeout(60_000);
  // None skips time while an activity waits for a worker.
  const environment = localServer();
  const [turnsOf, bottlesOf] = [turnsQueue('gone'), bottlesQueue('gone')];
  const workers: Worker[] = [];
  const running: Promise<void>[] = [];

  async function takes(sync: ScriptedSync, ...taskQueues: string[]): Promise<void> {
    for (const taskQueue of taskQueues) {
      const { nativeConnection: connection } = environment();
      const worker = await Worker.create({ connection, activities: sync.activities, taskQueue });
      workers.push(worker);
      running.push(worker.run());
    }
  }

  /** It takes nothing new; what is under way ends. */
  function leaves(): void {
    for (const worker of workers.splice(0)) worker.shutdown();
  }

  afterEach(async () => {
    leaves();
    await Promise.all(running.splice(0));
  });

  function onHost(): ScriptedSync {
    const sync = new ScriptedSync(environment(), { timeoutMs: 2_000 });
    sync.rows.soleHost = 'gone';
    return sync;
  }

  async function hasFailed(sync: ScriptedSync): Promise<void> {
    await sync.live(async (handle) => {
      const { status, reason } = await handle.result();
      assert.equal(status, 'failed');
      assert.match(reason, /^host gone does not answer: start its worker, or .* sync again/);
      assert.deepEqual(sync.settled, []);
    });
  }

  it('that is gone before it is prepared, ends', async () => {
    const sync = onHost();
    await hasFailed(sync);
    assert.deepEqual(sync.rows.ended, []);
  });

  it('that goes before the agent starts, ends, and its rows have an end', async () => {
    const sync = onHost();
    sync.whilePreparing = () => {
      leaves();
      return Promise.resolve();
    };
    await takes(sync, bottlesOf);
    await hasFailed(sync);
    assert.deepEqual([sync.ran.length, sync.rows.ended.length], [0, 1]);
  });

  it('that goes while the agent works, ends, and its rows have an end', async () => {
    const sync = onHost();
    sync.whileRunning = () => {
      leaves();
      const lost = { message: 'going away', type: 'TurnDetached', nonRetryable: true };
      return Promise.reject(ApplicationFailure.create(lost));
    };
    await takes(sync, bottlesOf, turnsOf);
    await hasFailed(sync);
    assert.deepEqual([sync.attached.length, sync.rows.ended.length], [0, 1]);
  });

  it('that goes before it is settled, ends, and what its turn used is in the rows', async () => {
    const sync = onHost();
    sync.whileRunning = () => {
      leaves();
      return Promise.resolve(turnResult({}));
    };
    await takes(sync, bottlesOf, turnsOf);
    await hasFailed(sync);
    assert.deepEqual(
      sync.rows.recorded.map(({ settled, reason }) => [settled.publish.kind, reason]),
      [['nothing', 'failed']],
    );
    assert.equal(sync.rows.ended.length, 1);
  });

  it('that answers, waits for a slot however long that takes', async () => {
    const sync = onHost();
    let asked = 0;
    sync.whileAsked = async () => {
      asked += 1;
      if (asked === 2) await takes(sync, turnsOf);
    };
    await takes(sync, bottlesOf);
    await sync.live(async (handle) => {
      assert.equal((await handle.result()).status, 'verified');
      assert.deepEqual([asked, sync.ran.length], [2, 1]);
    });
  });
});
