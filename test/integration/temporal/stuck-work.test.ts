import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import type { CodecKey } from '../../../src/adapters/temporal/codec/aes-codec.js';
import { workerDataConverter } from '../../../src/adapters/temporal/codec/data-converter.js';
import { lazyClient } from '../../../src/adapters/temporal/connect.js';
import { stuckWork } from '../../../src/adapters/temporal/stuck-work.js';
import { stepUnderWay } from '../../../src/cli/runs/step-under-way.js';
import { workflowIdOf } from '../../../src/domain/forge/issue.js';
import type { StuckWork } from '../../../src/domain/upkeep/stuck-work.js';
import { TASK_QUEUE } from '../../../src/workflows/messages.js';
import { SUBJECT } from '../../support/machine/world.js';
import { waitUntil } from '../../support/stack/stack.js';
import { deployedWorkers, type DeployedWorkers } from '../../support/temporal/deployed-workers.js';
import { localServer } from '../../support/temporal/local-server.js';
import { ScriptedActivities } from '../../support/temporal/scripted-activities.js';
import { askForRun } from '../../support/temporal/send.js';
import { HOST, workflowBundle } from '../../support/temporal/time-skipping.js';

const MINUTE = 60_000;
const CANARY = 'canary-in-a-failure';
const NO_SUCH = 'no such function';

/** The product's own workers and client, encrypting, over a real server. */
describe('what doctor asks Temporal for', function () {
  this.timeout(120_000);
  const server = localServer();
  const codecKeys: CodecKey[] = [{ id: 'a', bytes: randomBytes(32) }];
  let client: Client;
  let stranger: Client;
  let workers: DeployedWorkers | undefined;
  let mended = false;

  before(() => {
    const target = { connection: { address: server().address }, namespace: 'default' };
    client = lazyClient({ ...target, codecKeys });
    stranger = lazyClient(target);
  });
  after(async () => {
    await workers?.stop();
    await client.connection.close();
    await stranger.connection.close();
  });

  const look = (laterMs = 0, as = client): Promise<StuckWork> =>
    stuckWork(as, { host: HOST, now: Date.now() + laterMs });

  it('names the queues that no worker asks for work, and none that one asks', async () => {
    assert.deepEqual((await look()).idleQueues, [TASK_QUEUE, 'bottles', `bottles@${HOST}`]);
    const { activities } = new ScriptedActivities(() => ({ run: async () => ({}) }));
    const prepareTurn: typeof activities.prepareTurn = (input) =>
      mended ? activities.prepareTurn(input) : Promise.reject(new Error(CANARY));
    const all = { ...activities, prepareTurn };
    workers = await deployedWorkers(client, {
      target: { connection: { address: server().address }, namespace: 'default', codecKeys },
      host: HOST,
      slots: 1,
      activities: { home: all, claim: all, turns: all, host: all },
    });
    await waitUntil('the pollers', async () => (await look()).idleQueues.length === 0);
    // Who asked minutes ago is gone.
    assert.equal((await look(3 * MINUTE)).idleQueues.length, 3);
  });

  it('names a workflow whose tasks fail, with the reason', async () => {
    const start = { taskQueue: TASK_QUEUE, workflowId: 'broken', args: [] };
    const handle = await client.workflow.start('noSuchWorkflow', start);
    await waitUntil('the second try', async () => (await look()).failing.length > 0);
    const { failing, open } = await look();
    assert.equal(open, 1);
    assert.deepEqual(
      failing.map(({ workflowId }) => workflowId),
      ['broken'],
    );
    assert.ok((failing[0]?.attempt ?? 0) > 1);
    assert.match(failing[0]?.error ?? '', new RegExp(NO_SUCH));
    // The message itself is encrypted like everything else.
    assert.equal(JSON.stringify(await handle.fetchHistory()).includes(NO_SUCH), false);
    await handle.terminate();
    await waitUntil('its end', async () => (await look()).failing.length === 0);
  });

  it('names an activity that is retried for more than ten minutes, with its last error', async () => {
    const handle = await askForRun(client, SUBJECT);
    const { workflowId } = handle;
    await waitUntil('the second try', async () => (await look(11 * MINUTE)).retried.length > 0);
    assert.deepEqual((await look(9 * MINUTE)).retried, []);
    const [retried, ...others] = (await look(11 * MINUTE)).retried;
    assert.deepEqual(others, []);
    assert.ok(retried && retried.attempt > 1 && retried.since !== null && retried.since <= Date.now());
    assert.deepEqual(
      [retried.workflowId, retried.activity, retried.error],
      [workflowId, 'prepareTurn', CANARY],
    );

    const description = await handle.describe();
    assert.equal(JSON.stringify(description.raw).includes(CANARY), false, 'encrypted');
    assert.deepEqual((await stepUnderWay(client, description))?.error, CANARY);
    const [unread] = (await look(11 * MINUTE, stranger)).retried;
    assert.match(unread?.error ?? '', /the key a, which TEMPORAL_CODEC_KEYS does not name/);

    mended = true;
    await waitUntil('it to go on', async () => (await look(11 * MINUTE)).retried.length === 0, 40_000);
  });

  it('the encrypted history replays with its key, and says so without', async () => {
    const handle = client.workflow.getHandle(workflowIdOf(SUBJECT));
    const history = await handle.fetchHistory();
    await handle.terminate();
    const code = await workflowBundle({ encrypts: true });
    const replay = (keys: readonly CodecKey[]): Promise<void> =>
      Worker.runReplayHistory({ workflowBundle: code, dataConverter: workerDataConverter(keys) }, history);
    await replay(codecKeys);
    await assert.rejects(replay([]), /TEMPORAL_CODEC_KEYS/);
  });
});
