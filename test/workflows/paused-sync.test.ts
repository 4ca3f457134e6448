import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { stateQuery } from '../../src/workflows/messages.js';
import { turnResult } from '../support/machine/world.js';
import { waitUntil } from '../support/stack/stack.js';
import { Gate } from '../support/temporal/proposing-run.js';
import { untilCalledOff } from '../support/temporal/scripted-activities.js';
import { ScriptedSync } from '../support/temporal/scripted-sync.js';
import { timeSkipping } from '../support/temporal/skipping-server.js';

describe('a sync while new turns are paused', function () {
  this.timeout(60_000);
  const environment = timeSkipping();

  const scripted = (): ScriptedSync => new ScriptedSync(environment());

  it('leaves nothing anywhere, and needs no host to say so', async () => {
    const sync = scripted();
    sync.refusalAtOnce = 'new turns are paused';
    let claims = 0;
    sync.rows.soleHost = null;
    sync.whileClaiming = () => Promise.resolve({ host: `none${String((claims += 1))}` });
    await sync.live(async (handle) => {
      const { status, reason, runDir } = await handle.result();
      assert.deepEqual([status, reason, runDir], ['failed', 'new turns are paused', null]);
      assert.deepEqual([claims, sync.prepared, sync.settled, sync.rows.ended], [0, [], [], []]);
    });
  });

  it('starts no container when that was so only after it was prepared', async () => {
    const sync = scripted();
    sync.refusal = 'new turns are paused';
    await sync.live(async (handle) => {
      const { status, reason } = await handle.result();
      assert.deepEqual([status, reason], ['failed', 'new turns are paused']);
      assert.deepEqual(sync.ran, []);
    });
  });

  it('that waits for a slot is called off by a pause, and says why', async () => {
    const sync = scripted();
    sync.whileRunning = untilCalledOff;
    await sync.live(async (handle) => {
      await waitUntil('it to wait', () => sync.ran.length === 1);
      await handle.signal('turn_started', { slug: 'of-another-sync', turn: 1, at: 1 });
      await handle.signal('paused', { reason: 'new turns are paused by bob' });
      const { status, reason, pr } = await handle.result();
      assert.deepEqual([status, reason, pr], ['failed', 'new turns are paused by bob', null]);
      assert.deepEqual(
        sync.settled.map(({ result }) => result),
        [null],
      );
      assert.equal(sync.rows.ended.length, 1);
    });
  });

  it('whose agent has begun goes on through a pause', async () => {
    const sync = scripted();
    const end = new Gate();
    sync.whileRunning = () => end.opened.then(() => turnResult({}));
    await sync.live(async (handle) => {
      await waitUntil('the agent to work', () => sync.ran.length === 1);
      const { slug } = await handle.query(stateQuery);
      await handle.signal('turn_started', { slug, turn: 1, at: 1 });
      await handle.signal('paused', { reason: 'new turns are paused by bob' });
      // Answered once both were taken.
      await handle.query(stateQuery);
      end.open();
      assert.equal((await handle.result()).status, 'verified');
    });
  });

  it('goes on after a signal that cannot be read', async () => {
    const sync = scripted();
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
});
