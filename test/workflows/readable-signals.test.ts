import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { aesCodec, type CodecKey } from '../../src/adapters/temporal/codec/aes-codec.js';
import { lazyClient } from '../../src/adapters/temporal/connect.js';
import { stuckWork } from '../../src/adapters/temporal/stuck-work.js';
import { stateQuery, timelineQuery } from '../../src/workflows/messages.js';
import { comment, SUBJECT, turnResult, wrote } from '../support/machine/world.js';
import { waitUntil } from '../support/stack/stack.js';
import { deployedWorkers, type DeployedWorkers } from '../support/temporal/deployed-workers.js';
import { DONE } from '../support/temporal/issue-life.js';
import { localServer } from '../support/temporal/local-server.js';
import {
  ScriptedActivities,
  untilCalledOff,
  type TurnScript,
} from '../support/temporal/scripted-activities.js';
import { askForRun, send } from '../support/temporal/send.js';
import { HOST } from '../support/temporal/time-skipping.js';

const PATIENCE_MS = 60_000;
const one: CodecKey = { id: 'one', bytes: randomBytes(32) };
const two: CodecKey = { id: 'two', bytes: randomBytes(32) };
/** Another machine's key, which has the same name. */
const staging: CodecKey = { id: 'one', bytes: randomBytes(32) };

/** What nobody can read is in `buttons.test.ts`. */
describe('signals that are encrypted, to the product’s own workers', function () {
  this.timeout(180_000);
  const server = localServer();
  const clients: Client[] = [];
  let turn: TurnScript['run'] = () => Promise.resolve(DONE);

  after(() => Promise.all(clients.map(({ connection }) => connection.close())));

  const target = (...codecKeys: readonly CodecKey[]) => ({
    ...{ connection: { address: server().address }, namespace: 'default', codecKeys },
  });

  function clientWith(key: CodecKey): Client {
    const client = lazyClient(target(key));
    clients.push(client);
    return client;
  }

  function workersWith(...keys: readonly CodecKey[]): Promise<DeployedWorkers> {
    const client = clientWith(one);
    const { activities } = new ScriptedActivities(() => ({
      run: async (input, activity) => {
        const { workflowId, slug, turn: number } = input;
        const started = { kind: 'turn_started', slug, turn: number, at: 0 } as const;
        await send(client.workflow.getHandle(workflowId), started);
        return turn(input, activity);
      },
    }));
    return deployedWorkers(client, {
      ...{ target: target(...keys), host: HOST, slots: 1 },
      activities: { home: activities, claim: activities, turns: activities, host: activities },
    });
  }

  function frozen(run: WorkflowHandle, turns: number): Promise<void> {
    const isFrozen = async (): Promise<boolean> => {
      const view = await run.query(stateQuery);
      return view.phase === 'frozen' && view.turn === turns;
    };
    return waitUntil(`turn ${String(turns)} frozen`, isFrozen, PATIENCE_MS);
  }

  async function whyItFails(client: Client): Promise<string> {
    let why = '';
    await waitUntil('its task to fail', async () => {
      const { failing } = await stuckWork(client, { host: HOST, now: Date.now() });
      why = failing[0]?.error ?? '';
      return failing.length > 0;
    });
    return why;
  }

  it('are delivered when their key is there, and wait for it when it is not', async () => {
    let workers = await workersWith(one);
    try {
      const client = clientWith(one);
      const run = await askForRun(client, SUBJECT);
      await frozen(run, 1);
      await send(run, wrote(comment(1)));
      await frozen(run, 2);

      await send(clientWith(two).workflow.getHandle(run.workflowId), wrote(comment(2)));
      assert.match(await whyItFails(client), /the key two, which TEMPORAL_CODEC_KEYS does not name/);

      await workers.stop();
      workers = await workersWith(one, two);
      await frozen(run, 3);
      const notes = (await run.query(timelineQuery)).map(({ what }) => what);
      assert.ok(!notes.some((what) => what.includes('was not understood')), notes.join('\n'));
      await run.terminate();
    } finally {
      await workers.stop();
    }
  });

  it('leave a note where another key of that name encrypted them, and an Update of it is refused', async () => {
    const workers = await workersWith(one);
    try {
      const client = clientWith(one);
      const run = await askForRun(client, SUBJECT);
      await frozen(run, 1);
      const stranger = clientWith(staging).workflow.getHandle(run.workflowId);
      await send(stranger, wrote(comment(1)));
      // Why is encrypted with the run's own key.
      await assert.rejects(
        stranger.executeUpdate('freeze', { args: [{}] }),
        /not what the key one encrypted/,
      );
      await send(run, wrote(comment(2)));
      await frozen(run, 2);
      const notes = (await run.query(timelineQuery)).map(({ what }) => what);
      assert.equal(notes.filter((what) => what.includes('was not understood')).length, 1, notes.join('\n'));
      const { events } = await client.workflow.getHandle(run.workflowId).fetchHistory();
      const types = (events ?? []).flatMap((event) => [
        ...(event.workflowTaskFailedEventAttributes ? ['failed'] : []),
        ...(event.workflowExecutionUpdateAcceptedEventAttributes ? ['accepted'] : []),
      ]);
      assert.deepEqual(types, []);
      await run.terminate();
    } finally {
      await workers.stop();
    }
  });

  it('fail the task where they are what an activity came to: nobody may take that for its result', async () => {
    const client = clientWith(one);
    turn = async ({ workflowId }, { info }) => {
      const [result] = await aesCodec([staging]).encode([
        defaultPayloadConverter.toPayload(turnResult(DONE)),
      ]);
      assert.ok(result !== undefined);
      await client.workflowService.respondActivityTaskCompletedById({
        ...{ namespace: 'default', workflowId, activityId: info.activityId },
        result: { payloads: [result] },
      });
      return untilCalledOff();
    };
    const workers = await workersWith(one);
    try {
      const run = await askForRun(client, SUBJECT);
      assert.match(await whyItFails(client), /is not what the key one encrypted/);
      await run.terminate();
    } finally {
      await workers.stop();
    }
  });
});
