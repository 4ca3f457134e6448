import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { LocalBlobStore } from '../../../src/adapters/files/blob-store.js';
import { webhookHook } from '../../../src/adapters/notify/webhook-hook.js';
import { openDatabase } from '../../../src/adapters/sqlite/open-database.js';
import { createLogger } from '../../../src/config/log.js';
import { secretsRead, inspectSecret } from '../../../src/config/secrets.js';
import type { Hook, Message, Sent } from '../../../src/domain/notify/hooks.js';
import type { Database } from '../../../src/domain/run/stores.js';
import { keepNotices } from '../../../src/wiring/worker/keep-notices.js';
import { ID, shownProposal, SLUG } from '../../support/supervise/shown.js';
import { stateRow } from '../../support/webhook/rows.js';
import { useNewPaths, useTempDir } from '../../support/webhook/temp-dir.js';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

const LOOK_MS = 5;

describe('telling people what waits', () => {
  const path = useTempDir();
  const newPath = useNewPaths();
  let home: string;
  let database: Database;
  let blobs: LocalBlobStore;
  let clock: number;
  let lines: string[];
  let told: Record<string, unknown>[];
  let answer: (message: Message) => Sent | Promise<Sent>;

  beforeEach(async () => {
    home = newPath();
    database = await openDatabase(`${home}/bot-bottle.db`);
    blobs = new LocalBlobStore(home);
    clock = Date.now();
    lines = [];
    told = [];
    answer = () => ({ kind: 'told' });
  });
  afterEach(async () => {
    await database.close();
  });

  const hook: Hook = {
    name: 'command',
    send: async (message) => {
      told.push(JSON.parse(message.body) as Record<string, unknown>);
      return answer(message);
    },
  };
  /** A worker that lives until the work is done. */
  async function worker(work: () => Promise<void> | void, by: Hook = hook): Promise<void> {
    const stopping = new AbortController();
    const log = createLogger({
      level: 'info',
      name: 'worker',
      secrets: secretsRead,
      destination: { write: (line) => lines.push(line) },
    });
    const parts = { hook: by, database, blobs, now: () => clock, log, lookMs: LOOK_MS };
    const kept = keepNotices(parts, stopping.signal);
    try {
      await work();
      // What should not come has had its time.
      await sleep(10 * LOOK_MS);
    } finally {
      stopping.abort();
      await kept;
    }
  }
  async function until(done: () => boolean): Promise<void> {
    for (let n = 0; n < 400 && !done(); n += 1) await sleep(LOOK_MS);
    assert.ok(done(), JSON.stringify(told));
  }
  const idle = (): void => undefined;
  const propose = async (n = 0, ref?: string): Promise<void> => {
    const shown = shownProposal({ bottle_slug: SLUG });
    await database.proposals.add({
      slug: SLUG,
      id: n === 0 ? ID : n.toString(16).padStart(32, '0'),
      workflowId: 'gitea:alice/demo#12',
      tool: 'pipelock-block',
      turn: 1,
      at: clock + n,
      ref: ref ?? (await blobs.put(JSON.stringify(shown))),
      origin: 'agent',
    });
  };
  const decide = (id = ID): Promise<void> =>
    database.proposals.decide({
      ...{ slug: SLUG, id, status: 'approved', who: 'a@b', at: clock, ref: null, notesRef: null },
    });
  const freeze = (number = 12, reason = 'blocked'): Promise<void> =>
    database.forgeState.upsert(
      stateRow({
        issueNumber: number,
        slug: number === 12 ? SLUG : `coder-alice-demo-${String(number)}-abcde`,
        ...{ status: 'frozen', phase: 'frozen', reason, updatedAt: clock },
      }),
    );

  it('tells each thing once, also over restarts of the worker', async () => {
    await freeze();
    await propose();
    clock += 60_000;
    await worker(() => until(() => told.length === 2));
    await worker(idle);
    assert.deepEqual(told.map(({ kind, subject }) => [kind, subject]).sort(), [
      ['proposal', 'https://forge.example/alice/demo/issues/12'],
      ['run', 'https://forge.example/alice/demo/issues/12'],
    ]);
    assert.deepEqual(told.find(({ kind }) => kind === 'proposal')?.['effect'], [
      'may connect to files.example',
    ]);
  });

  it('tells what comes while it runs, and again what waits another time', async () => {
    await worker(async () => {
      await propose();
      await until(() => told.length === 1);
      await freeze();
      clock += 60_000;
      await until(() => told.length === 2);
      await database.forgeState.upsert(stateRow({ slug: SLUG, updatedAt: clock }));
      await sleep(10 * LOOK_MS);
      await freeze();
      clock += 60_000;
      await until(() => told.length === 3);
    });
    const [, first, second] = told.map(({ id }) => id);
    assert.notEqual(first, second);
    assert.equal((await database.notices.all()).length, 2);
  });

  it('tells nothing that was decided meanwhile, nor a run that is just done', async () => {
    await propose();
    await decide();
    await freeze(12, 'done');
    await freeze(13, 'limited');
    clock += 60_000;
    await worker(idle);
    assert.deepEqual(told, []);
    // Waits for its turn behind another one, and is decided there.
    await propose(1);
    await propose(2);
    answer = async () => {
      await decide('2'.padStart(32, '0'));
      return { kind: 'told' };
    };
    await worker(() => until(() => told.length === 1));
    assert.deepEqual(
      told.map(({ proposal }) => proposal),
      ['1'.padStart(32, '0')],
    );
  });

  it('tells again with the same id what a crash left unsaid', async () => {
    await propose();
    // The worker dies after the message and before the note: its transaction never comes.
    answer = () => {
      throw new Error('killed');
    };
    await worker(() => until(() => told.length > 0));
    assert.deepEqual(await database.notices.all(), []);
    const before = told.length;
    answer = () => ({ kind: 'told' });
    await worker(() => until(() => told.length > before));
    assert.equal(new Set(told.map(({ id }) => id)).size, 1);
    assert.equal(told.length, before + 1);
  });

  it('makes no flood of what has waited since long before', async () => {
    for (let n = 1; n <= 40; n += 1) await propose(n);
    for (let n = 100; n < 120; n += 1) await freeze(n);
    clock += 60_000;
    await worker(() => until(() => told.length > 0));
    await worker(idle);
    assert.deepEqual(
      told.map(({ kind, proposals, runs }) => [kind, proposals, runs]),
      [['summary', 40, 20]],
    );
    await propose(0);
    await worker(() => until(() => told.length === 2));
    assert.equal(told[1]?.['kind'], 'proposal');
  });

  it('tries again later, then gives up, and says so once', async () => {
    await propose();
    answer = () => ({ kind: 'again', why: 'no \u001b mail', retryAfterMs: null });
    await worker(async () => {
      await until(() => told.length === 1);
      await sleep(10 * LOOK_MS);
      assert.equal(told.length, 1);
      clock += 10_000;
      await until(() => told.length === 2);
      for (let hour = 0; hour < 40; hour += 1) {
        clock += 3_600_000;
        await sleep(3 * LOOK_MS);
      }
    });
    const levels = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const given = levels.filter(({ level }) => level === 'error');
    assert.equal(given.length, 1);
    assert.deepEqual(
      [given[0]?.['msg'], given[0]?.['givenUp'], given[0]?.['why']],
      ['a notification is given up', 1, 'no \u001b mail'],
    );
    assert.ok(lines.every((line) => /^[ -~\n]*$/.test(line)));
    assert.ok(told.length < 40, String(told.length));
    assert.equal((await database.notices.all())[0]?.state, 'given_up');
  });

  it('is not held up by a blob that is gone', async () => {
    await propose(0, 'f'.repeat(64));
    await worker(() => until(() => told.length === 1));
    assert.deepEqual([told[0]?.['justification'], told[0]?.['effect']], [null, []]);
  });

  it('notes nothing of a message that the end of the worker broke off', async () => {
    await propose();
    const slow: Hook = {
      name: 'command',
      send: (_message, stopped) =>
        new Promise((resolve) => {
          told.push({});
          stopped.addEventListener('abort', () => {
            resolve({ kind: 'again', why: 'stopped', retryAfterMs: null });
          });
        }),
    };
    await worker(() => until(() => told.length === 1), slow);
    assert.deepEqual(await database.notices.all(), []);
  });

  it('writes the secret into no log, whatever the receiver answers', async () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const file = path('notify-secret');
    writeFileSync(file, secret, { mode: 0o600 });
    const server = http.createServer((_request, response) =>
      response.writeHead(400).end(`you sent ${secret}`),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = new URL(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`);
    const read = (): string => {
      const state = inspectSecret(file);
      return state.kind === 'set' ? state.value : '';
    };
    await propose();
    await worker(() => until(() => lines.length > 0), webhookHook({ url, secret: read, now: Date.now }));
    server.close();
    assert.match(lines.join(''), /answered 400: you sent \[redacted\]/);
    assert.ok(!lines.join('').includes('MfKQ9r8GKYqr'));
  });
});
