import assert from 'node:assert/strict';
import { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import type { PayloadCodec } from '@temporalio/common';
import { noteCheckins } from '../../src/activities/rows/note-checkins.js';
import { openDatabase } from '../../src/adapters/sqlite/open-database.js';
import { watchedTurns } from '../../src/adapters/temporal/watched-turns.js';
import type { Database } from '../../src/domain/run/stores.js';
import type { WatchedTurn } from '../../src/domain/run/watched-turn.js';
import { waitUntil } from '../support/stack/stack.js';
import { DONE, withLife, type LifeOptions } from '../support/temporal/issue-life.js';
import { localServer } from '../support/temporal/local-server.js';
import { Gate } from '../support/temporal/proposing-run.js';
import { stateRow } from '../support/webhook/rows.js';
import { useTempDir } from '../support/webhook/temp-dir.js';

describe('the last check-in of a turn that runs', function () {
  this.timeout(60_000);
  const server = localServer();
  const path = useTempDir();
  let database: Database;

  beforeEach(async () => {
    database = await openDatabase(path('bot-bottle.db'));
  });
  afterEach(async () => {
    await database.close();
  });

  it('is read from the heartbeats of whatever watches the turn, and adds nothing to the history', async () => {
    const { client } = server();
    const watched = watchedTurns(client);
    let lastCheckinAt: number | null = null;
    const end = new Gate();
    const turn: LifeOptions['turn'] = async (_life, input, activity) => {
      const beats = setInterval(() => {
        activity.heartbeat({ slug: input.slug, turn: input.turn, lastCheckinAt } satisfies WatchedTurn);
      }, 50);
      await end.opened;
      clearInterval(beats);
      return DONE;
    };
    assert.equal(await watched.of('gitea:alice/demo#97'), undefined, 'no such workflow');
    await withLife(server(), { turn }, async (life) => {
      const { workflowId } = life.handle;
      const { slug } = await life.running();
      await waitUntil('a heartbeat', async () => (await watched.of(workflowId))?.turn === 1);
      await addRun(slug, workflowId);
      await addRun('destroyed-1', 'gitea:alice/demo#99', { issueNumber: 99, status: 'destroyed' });
      await addRun('vanished-1', 'gitea:alice/demo#98', { issueNumber: 98 });
      const rowSays = async (): Promise<number | null> =>
        (await database.forgeState.ofRun(slug))?.lastCheckinAt ?? null;

      await noteCheckins({ database, watched, now: Date.now });
      assert.equal(await rowSays(), null, 'the turn has not begun');
      const { events: before } = await life.handle.fetchHistory();
      for (const at of [1_000, 2_000]) {
        lastCheckinAt = at;
        await waitUntil('the heartbeat', async () => (await watched.of(workflowId))?.lastCheckinAt === at);
        await noteCheckins({ database, watched, now: Date.now });
        assert.equal(await rowSays(), at);
      }
      const { events: after } = await life.handle.fetchHistory();
      assert.equal(after?.length, before?.length);

      // What the server keeps may be encoded: this codec makes something of it that nobody sent.
      const decoded = { slug, turn: 7, lastCheckinAt: 42 };
      const codec: PayloadCodec = {
        encode: (payloads) => Promise.resolve(payloads),
        decode: (payloads) => Promise.resolve(payloads.map(() => defaultPayloadConverter.toPayload(decoded))),
      };
      const { connection, options } = client;
      const { namespace } = options;
      const coded = new Client({ connection, namespace, dataConverter: { payloadCodecs: [codec] } });
      assert.deepEqual(await watchedTurns(coded).of(workflowId), decoded);

      end.open();
      await life.frozen();
      assert.equal(await watched.of(workflowId), undefined, 'nobody watches a frozen run');
      await noteCheckins({ database, watched, now: Date.now });
      assert.equal(await rowSays(), 2_000);
    });
  });

  async function addRun(
    slug: string,
    workflowId: string,
    row: Parameters<typeof stateRow>[0] = {},
  ): Promise<void> {
    await database.forgeState.upsert(
      stateRow({ slug, workflowId, status: 'running', lastCheckinAt: null, ...row }),
    );
    await database.runs.appendRun({
      slug,
      workflowId,
      subject: 'alice/demo#12',
      agentName: 'coder',
      bottleNames: [],
      triggerActor: 'alice',
      triggerAt: 0,
      triggerActId: 0,
      createdAt: 0,
    });
  }
});
