import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { CodecKey } from '../../src/adapters/temporal/codec/aes-codec.js';
import { lazyClient } from '../../src/adapters/temporal/connect.js';
import { stuckWork } from '../../src/adapters/temporal/stuck-work.js';
import { stateQuery, timelineQuery } from '../../src/workflows/messages.js';
import { comment, SUBJECT, wrote } from '../support/machine/world.js';
import { waitUntil } from '../support/stack/stack.js';
import { deployedWorkers, type DeployedWorkers } from '../support/temporal/deployed-workers.js';
import { DONE } from '../support/temporal/issue-life.js';
import { localServer } from '../support/temporal/local-server.js';
import { ScriptedActivities } from '../support/temporal/scripted-activities.js';
import { askForRun, send } from '../support/temporal/send.js';
import { HOST } from '../support/temporal/time-skipping.js';

const PATIENCE_MS = 60_000;
const one: CodecKey = { id: 'one', bytes: randomBytes(32) };
const two: CodecKey = { id: 'two', bytes: randomBytes(32) };

/** What nobody can read is in `buttons.test.ts`. */
describe('signals that are encrypted, to the product’s own workers', function () {
  this.timeout(180_000);
  const server = localServer();
  const clients: Client[] = [];

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
      run: async ({ workflowId, slug, turn }) => {
        await send(client.workflow.getHandle(workflowId), { kind: 'turn_started', slug, turn, at: 0 });
        return DONE;
      },
    }));
    return deployedWorkers(client, {
      ...{ target: target(...keys), host: HOST, slots: 1 },
      activities: { home: activities, claim: activities, turns: activities, host: activities },
    });
  }

  it('are delivered when their key is there, and wait for it when it is not', async () => {
    let workers = await workersWith(one);
    try {
      const client = clientWith(one);
      const run = await askForRun(client, SUBJECT);
      const frozen = (turn: number): Promise<void> =>
        waitUntil(
          `turn ${String(turn)} frozen`,
          async () => {
            const view = await run.query(stateQuery);
            return view.phase === 'frozen' && view.turn === turn;
          },
          PATIENCE_MS,
        );
      await frozen(1);
      await send(run, wrote(comment(1)));
      await frozen(2);

      await send(clientWith(two).workflow.getHandle(run.workflowId), wrote(comment(2)));
      let why = '';
      await waitUntil('its task to fail', async () => {
        const { failing } = await stuckWork(client, { host: HOST, now: Date.now() });
        why = failing[0]?.error ?? '';
        return failing.length > 0;
      });
      assert.match(why, /the key two, which TEMPORAL_CODEC_KEYS does not name/);

      await workers.stop();
      workers = await workersWith(one, two);
      await frozen(3);
      const notes = (await run.query(timelineQuery)).map(({ what }) => what);
      assert.ok(!notes.some((what) => what.includes('was not understood')), notes.join('\n'));
      await run.terminate();
    } finally {
      await workers.stop();
    }
  });
});
