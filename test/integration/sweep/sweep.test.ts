import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { archiveRun } from '../../../src/activities/archive-run.js';
import { DEFAULT_POLICY } from '../../../src/domain/run/run-policy.js';
import { workflowIdOf, type SubjectRef } from '../../../src/domain/forge/issue.js';
import {
  bottlesQueue,
  CLAIM_QUEUE,
  stateQuery,
  TASK_QUEUE,
  turnsQueue,
} from '../../../src/workflows/messages.js';
import { temporalGateway } from '../../../src/webhook/dispatch/temporal-gateway.js';
import { observed, trigger } from '../../support/machine/world.js';
import { waitUntil } from '../../support/stack/stack.js';
import { SweepWorld } from '../../support/sweep/sweep-world.js';
import { localServer } from '../../support/temporal/local-server.js';
import { ScriptedActivities } from '../../support/temporal/scripted-activities.js';
import { workflowBundle } from '../../support/temporal/time-skipping.js';
import { stateRow } from '../../support/webhook/rows.js';
import { git } from '../git/git-fixture.js';
import { send } from '../../support/temporal/send.js';

const done = { done: { id: 'd', status: 'success', summaryRef: 'r' } } as const;

describe('the sweeper, on a real engine and a real Temporal', function () {
  this.timeout(120_000);
  const server = localServer();
  let client: Client;
  let world: SweepWorld;
  let number = 500;

  before(() => {
    client = server().client;
  });
  beforeEach(async () => {
    world = await SweepWorld.make(client);
  });
  afterEach(() => world.close());

  const newSlug = (): string =>
    `sweep-alice-demo-${String((number += 1))}-${randomBytes(3).toString('hex').slice(0, 5)}`;

  /** A frozen run of the workflow `work` is given; workers run meanwhile. */
  async function withFrozenRun(
    work: (run: { readonly slug: string; readonly subject: SubjectRef }) => Promise<void>,
    alter: (fake: ScriptedActivities) => Partial<ScriptedActivities['activities']> = () => ({}),
  ): Promise<void> {
    const subject = { forge: 'gitea', owner: 'alice', repo: 'demo', number: (number += 1) } as const;
    const handle = client.workflow.getHandle(workflowIdOf(subject));
    const fake = new ScriptedActivities(() => ({
      run: async ({ slug, turn }) => {
        await send(handle, { kind: 'turn_started', slug, turn, at: 0 });
        return done;
      },
    }));
    fake.soleHost = world.host;
    const common = {
      connection: server().nativeConnection,
      namespace: server().namespace ?? 'default',
      activities: { ...fake.activities, ...alter(fake) },
    };
    const workflowCode = await workflowBundle();
    const [main, ...others] = await Promise.all([
      Worker.create({ ...common, workflowBundle: workflowCode, taskQueue: TASK_QUEUE }),
      ...[CLAIM_QUEUE, turnsQueue(world.host), bottlesQueue(world.host)].map((taskQueue) =>
        Worker.create({ ...common, taskQueue }),
      ),
    ]);
    const running = others.map((worker) => worker.run());
    try {
      await main.runUntil(async () => {
        const asked = { ...observed({ readAt: 6 }), trigger: trigger(5) };
        const gateway = temporalGateway(client, { policy: DEFAULT_POLICY });
        await gateway.signalWithStart(subject, asked, { title: 'a life', url: 'http://forge.invalid/1' });
        await waitUntil('frozen', async () => (await handle.query(stateQuery)).phase === 'frozen');
        const { slug } = await handle.query(stateQuery);
        assert.ok(slug !== null);
        await work({ slug, subject });
      });
    } finally {
      for (const worker of others) worker.shutdown();
      await Promise.all(running);
      await handle.terminate().catch(() => undefined);
    }
  }

  /** Everything that a run may leave behind. */
  async function plantAll(slug: string, subject: SubjectRef | null = null): Promise<string> {
    const root = await world.directory(slug, subject);
    await world.files.placeSecrets(slug, []);
    await world.volume(slug, 'home');
    await world.volume(slug, 'sock');
    await world.container(slug, 'agent');
    await world.container(slug, 'bundle', { running: true });
    await world.container(slug, 'once', { name: `bb-${slug}-once-settle` });
    await world.pin(slug);
    return root;
  }

  it('removes everything of a run that nobody knows, when it finds it twice, and keeps what is kept of an ended one', async () => {
    const slug = newSlug();
    const root = await plantAll(slug);
    const workspace = join(root, 'workspace');
    git(world.git.root, 'clone', '-q', world.git.forge, join(world.git.root, 'mine'));
    git(
      join(world.git.root, 'mine'),
      'checkout',
      '-q',
      '-b',
      `bot-bottle/${slug.split('-').slice(-2).join('-')}`,
    );
    world.git.commit(join(world.git.root, 'mine'), 'work.txt', 'mine\n', 'agent');
    git(workspace, 'clone', '-q', join(world.git.root, 'mine'), '.');
    const first = await world.sweep();
    assert.deepEqual([first.end, first.waiting, first.entries], ['done', 1, []]);
    assert.equal((await world.objects(slug)).length, 5);
    const second = await world.sweep();
    assert.deepEqual(
      second.entries.map(({ slug: of, what, outcome }) => [of, what, outcome]),
      [[slug, 'remove', 'done']],
      JSON.stringify(second.entries),
    );
    assert.deepEqual(await world.objects(slug), []);
    assert.equal(await world.isPinned(slug), false);
    for (const gone of ['workspace', 'bundle', 'queue', 'turn', 'config'])
      assert.ok(!existsSync(join(root, gone)), gone);
    for (const kept of ['turns/1/agent.log', 'transcript/session.tar', 'unpublished.bundle'])
      assert.ok(existsSync(join(root, kept)), kept);
    assert.equal((await world.sweep()).runs, 0);
  });

  it('leaves what is young, and what another host has', async () => {
    const young = newSlug();
    await plantAll(young);
    world.ahead = 4 * 60_000;
    for (let time = 0; time < 3; time += 1) assert.deepEqual((await world.sweep()).entries, []);
    assert.equal((await world.objects(young)).length, 5);
    world.ahead = 0;
    const foreign = newSlug();
    await world.container(foreign, 'agent', { host: 'anotherhost1' });
    await world.volume(foreign, 'home', 'anotherhost1');
    world.ahead = 6 * 60_000;
    await world.sweep();
    await world.sweep();
    assert.equal((await world.objects(foreign)).length, 2);
    assert.deepEqual(await world.objects(young), []);
  });

  it('removes what is left of a run whose workflow was terminated, and repairs its row', async () => {
    let left: { readonly slug: string; readonly subject: SubjectRef } | undefined;
    await withFrozenRun(async ({ slug, subject }) => {
      left = { slug, subject };
      await plantAll(slug, subject);
      const { number: issueNumber } = subject;
      await world.database.forgeState.upsert(
        stateRow({ slug, issueNumber, host: world.host, status: 'frozen', phase: 'frozen' }),
      );
      assert.deepEqual((await world.review()).repaired, []);
      await world.sweep();
      const untouched = await world.sweep();
      assert.ok(
        untouched.entries.every(({ what }) => what !== 'remove'),
        'alive',
      );
    });
    assert.ok(left !== undefined);
    const { slug, subject } = left;
    const { closeTime } = await client.workflow.getHandle(workflowIdOf(subject)).describe();
    const { repaired, expected } = await world.review();
    assert.deepEqual(
      repaired.map((entry) => [entry.slug, entry.what]),
      [[slug, 'row_repaired']],
    );
    assert.deepEqual(
      expected.map((run) => run.slug),
      [slug],
    );
    const row = await world.database.forgeState.get(subject);
    assert.deepEqual([row?.status, row?.destroyedAt], ['destroyed', closeTime?.getTime()]);
    assert.deepEqual((await world.review()).repaired, []);
    await world.sweep();
    await world.sweep();
    assert.deepEqual(await world.objects(slug), []);
  });

  it('does nothing while Temporal is away, and what it found before has to be found twice again', () =>
    withFrozenRun(async ({ slug, subject }) => {
      const nowhere = new Client({ connection: Connection.lazy({ address: '127.0.0.1:1' }) });
      try {
        await world.container(slug, 'agent');
        await world.directory(slug, subject);
        const dead = newSlug();
        await world.volume(dead, 'home');
        await world.sweep();
        const blind = await world.sweep(nowhere);
        assert.deepEqual([blind.end, blind.entries], ['away', []]);
        assert.deepEqual((await world.sweep()).entries, []);
        assert.equal((await world.objects(dead)).length, 1);
        assert.equal((await world.objects(slug)).length, 1);
      } finally {
        await nowhere.connection.close();
      }
    }));

  it('takes a workflow that nobody answers for as alive', async () => {
    const slug = newSlug();
    const subject = { forge: 'gitea', owner: 'alice', repo: 'demo', number } as const;
    await world.directory(slug, subject);
    await world.container(slug, 'agent');
    const asked = { ...observed({ readAt: 6 }), trigger: trigger(5) };
    await temporalGateway(client, { policy: DEFAULT_POLICY }).signalWithStart(subject, asked, {
      title: 'nobody works on it',
      url: 'http://forge.invalid/1',
    });
    const handle = client.workflow.getHandle(workflowIdOf(subject));
    try {
      const first = await world.sweep();
      assert.deepEqual([first.end, first.waiting, first.entries], ['done', 0, []]);
      assert.deepEqual((await world.sweep()).entries, []);
      assert.equal((await world.objects(slug)).length, 1);
    } finally {
      await handle.terminate();
    }
    await world.sweep();
    await world.sweep();
    assert.deepEqual(await world.objects(slug), []);
  });

  it('finds whose an unknown object is by the list, and leaves it when its workflow is open', () =>
    withFrozenRun(async ({ slug }) => {
      await world.volume(slug, 'home');
      await world.sweep();
      const { runs, waiting, entries } = await world.sweep();
      assert.deepEqual([runs, waiting, entries], [1, 0, []]);
    }));

  it('stops the agent of a frozen run and takes its secrets away, unless a turn of it is watched', () =>
    withFrozenRun(async ({ slug, subject }) => {
      await world.directory(slug, subject);
      await world.files.placeSecrets(slug, []);
      const { bundleToken } = world.files.paths(slug);
      await world.container(slug, 'agent', { running: true });
      world.watched.add(slug);
      await world.sweep();
      const held = await world.sweep();
      assert.deepEqual(
        held.entries.map(({ what, detail }) => [what, detail]),
        [
          ['stop', 'not any more'],
          ['drop_secrets', 'not any more'],
        ],
      );
      assert.equal((await world.runtime.inspect(slug, 'agent'))?.status, 'running');
      assert.ok(existsSync(bundleToken));
      world.watched.clear();
      await world.sweep();
      assert.equal((await world.runtime.inspect(slug, 'agent'))?.status, 'exited');
      assert.ok(!existsSync(bundleToken));
    }));

  it('asks the workflow of a long frozen run to put its containers away, which keeps its volumes', () =>
    withFrozenRun(
      async ({ slug, subject }) => {
        await world.directory(slug, subject);
        await world.container(slug, 'agent');
        await world.container(slug, 'bundle');
        const home = await world.volume(slug, 'home');
        assert.deepEqual((await world.sweep(client, world.ahead * 2)).entries, []);
        const { entries } = await world.sweep(client, world.ahead / 2);
        assert.deepEqual(
          entries.map(({ what, outcome }) => [what, outcome]),
          [['archive', 'done']],
        );
        await waitUntil('the containers to go', async () => (await world.objects(slug)).join() === home);
        assert.deepEqual((await world.sweep(client, 0)).entries, []);
      },
      () => ({ archiveBottle: ({ slug }) => archiveRun(world.ports(), slug, () => true) }),
    ));

  it('does no harm when two sweep at once', async () => {
    const slugs = [newSlug(), newSlug()];
    for (const slug of slugs) await plantAll(slug);
    await world.sweep();
    const [one, other] = await Promise.all([world.sweep(), world.sweep()]);
    await world.sweep();
    await world.sweep();
    for (const slug of slugs) assert.deepEqual(await world.objects(slug), []);
    assert.ok([...one.entries, ...other.entries].some(({ outcome }) => outcome === 'done'));
  });
});
