import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, utimesSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { LocalBlobStore } from '../../../src/adapters/files/blob-store.js';
import { loadConfig } from '../../../src/config/load-config.js';
import { planGc, type GcRemoval, type Janitor } from '../../../src/domain/upkeep/gc.js';
import { janitor } from '../../../src/wiring/worker/janitor.js';
import { SweepWorld } from '../../support/sweep/sweep-world.js';
import { localServer } from '../../support/temporal/local-server.js';
import { stateRow } from '../../support/webhook/rows.js';
import { REPO } from '../git/git-fixture.js';

const DAY = 86_400_000;
const KIB = 1024;

describe('gc, on a real home, engine and Temporal', function () {
  this.timeout(120_000);
  const server = localServer();
  let world: SweepWorld;
  let cleaner: Janitor;
  const reference = `bot-bottle/bottle:gc-test-${randomBytes(4).toString('hex')}`;

  beforeEach(async () => {
    world = await SweepWorld.make(server().client);
  });
  afterEach(async () => {
    await cleaner.close();
    await world.close();
  });

  /** As it would be seen in a hundred days. */
  async function inAHundredDays(address = server().address): Promise<Janitor> {
    const { config } = loadConfig({ BOT_BOTTLE_HOME: world.home, TEMPORAL_ADDRESS: address });
    return (cleaner = await janitor(config, () => Date.now() + 100 * DAY));
  }

  async function addRun(slug: string, status: 'frozen' | 'destroyed', issueNumber: number): Promise<void> {
    const destroyedAt = status === 'destroyed' ? Date.now() : null;
    await world.database.forgeState.upsert(
      stateRow({ slug, status, issueNumber, destroyedAt, host: world.host }),
    );
    await world.database.runs.appendRun({
      slug,
      workflowId: `gitea:alice/demo#${String(issueNumber)}`,
      subject: `alice/demo#${String(issueNumber)}`,
      agentName: 'impl',
      bottleNames: ['default'],
      triggerActor: 'alice',
      triggerAt: 1,
      triggerActId: 0,
      createdAt: Date.now(),
    });
  }

  /** What its end left of a run. */
  async function endedDirectory(slug: string): Promise<void> {
    await world.directory(slug);
    await world.files.saveFile(slug, 'image.json', '{}');
    await world.files.removeTransient(slug);
  }

  const slugOf = (number: number): string =>
    `gc-alice-demo-${String(number)}-${randomBytes(3).toString('hex').slice(0, 5)}`;

  async function removeAll(): Promise<ReadonlyMap<GcRemoval['kind'], readonly (string | null)[]>> {
    const plan = planGc(await cleaner.measure(), { now: cleaner.now(), keepMs: cleaner.keepMs });
    const outcomes = new Map<GcRemoval['kind'], (string | null)[]>();
    // Its clock is not the engine's and not the disk's: what is named here is the test's own.
    for (const removal of plan.filter((one) => one.kind !== 'image' || one.reference === reference))
      outcomes.set(removal.kind, [...(outcomes.get(removal.kind) ?? []), await cleaner.remove(removal)]);
    return outcomes;
  }

  it('measures what a living run has, in a container, and leaves all of it', async () => {
    const slug = slugOf(1);
    await addRun(slug, 'frozen', 1);
    const root = await world.directory(slug);
    await writeFile(join(root, 'workspace', 'large'), Buffer.alloc(300 * KIB, 1));
    const volume = await world.volume(slug, 'home');
    await world.runtime.runOnce({
      name: 'fill',
      slug,
      image: 'bot-bottle/bundle:dev',
      argv: ['/bin/dd', 'if=/dev/zero', 'of=/home/file', 'bs=1024', 'count=200'],
      user: 'remover',
      mounts: [],
      volumes: [{ kind: 'home', target: '/home', readOnly: false }],
      env: {},
      timeoutMs: 30_000,
      maxOutputBytes: KIB,
    });
    await inAHundredDays();
    const { runs } = await cleaner.measure();
    const [run] = runs;
    assert.ok(run !== undefined && runs.length === 1);
    assert.equal(run.state, 'alive');
    assert.ok((run.workspace ?? 0) >= 300 * KIB && (run.workspace ?? 0) < 400 * KIB, String(run.workspace));
    assert.ok((run.home ?? 0) >= 200 * KIB && (run.home ?? 0) < 300 * KIB, String(run.home));
    assert.ok(run.turns > 0 && run.transcript > 0);
    assert.equal((await removeAll()).get('run'), undefined);
    assert.ok(existsSync(join(root, 'turns/1/agent.log')));
    assert.deepEqual(await world.objects(slug), [volume], 'what measured is gone');
  });

  it('removes the files of a run that ended long ago, and keeps commits that nobody has', async () => {
    const [plain, withCommits, goesOn] = [slugOf(2), slugOf(3), slugOf(4)] as const;
    for (const [index, slug] of [plain, withCommits, goesOn].entries()) {
      await addRun(slug, 'destroyed', index + 2);
      await endedDirectory(slug);
    }
    await world.files.saveFile(withCommits, 'unpublished.bundle', 'commits');
    // Its directories are still there: its end has not got through.
    await world.files.prepare(goesOn);
    await inAHundredDays();
    assert.deepEqual((await removeAll()).get('run'), [null, null]);
    const state = join(world.home, 'state');
    assert.ok(!existsSync(join(state, plain)));
    assert.ok(!existsSync(join(state, withCommits, 'turns')));
    assert.ok(existsSync(join(state, withCommits, 'unpublished.bundle')));
    assert.ok(existsSync(join(state, goesOn, 'turns/1/agent.log')));
    assert.match(
      (await cleaner.remove({ kind: 'run', slug: goesOn, bytes: 1 })) ?? '',
      /has not got through/,
    );
    assert.ok(existsSync(join(state, goesOn, 'turns/1/agent.log')));
    assert.equal((await world.database.runs.run(plain))?.slug, plain, 'rows stay');
  });

  it('removes the files of a run whose rows were pruned', async () => {
    const [pruned, alive] = [slugOf(10), slugOf(11)] as const;
    const ended = { destroyedAt: Date.now(), host: world.host };
    await world.database.forgeState.upsert(
      stateRow({ slug: pruned, status: 'destroyed', issueNumber: 10, ...ended }),
    );
    await world.database.forgeState.upsert(
      stateRow({ slug: alive, status: 'frozen', issueNumber: 11, host: world.host }),
    );
    for (const slug of [pruned, alive]) await endedDirectory(slug);
    await inAHundredDays();
    assert.deepEqual((await removeAll()).get('run'), [null]);
    assert.ok(!existsSync(join(world.home, 'state', pruned)));
    assert.equal(await cleaner.remove({ kind: 'run', slug: alive, bytes: 1 }), 'it lives');
  });

  it('removes the files of a pruned run whose issue has a later one', async () => {
    const [pruned, later, lost] = [slugOf(12), slugOf(12), slugOf(12)] as const;
    await addRun(pruned, 'destroyed', 12);
    await addRun(later, 'frozen', 12);
    for (const slug of [pruned, later, lost]) await endedDirectory(slug);
    const { provenance } = world.database;
    const sealed = { at: Date.now(), entries: 1, keyId: 'k', envelope: '{}' };
    await provenance.addSeal({ slug: pruned, n: 1, reason: 'pruned', ...sealed });
    assert.ok((await provenance.prune(pruned)) > 0);
    await provenance.addSeal({ slug: lost, n: 1, reason: 'frozen', ...sealed });
    await inAHundredDays();
    assert.deepEqual((await removeAll()).get('run'), [null]);
    assert.ok(!existsSync(join(world.home, 'state', pruned)));
    for (const slug of [later, lost])
      assert.equal(await cleaner.remove({ kind: 'run', slug, bytes: 1 }), 'it lives');
    await cleaner.close();
    await inAHundredDays('127.0.0.1:1');
    await endedDirectory(pruned);
    assert.match((await removeAll()).get('run')?.[0] ?? '', /cannot be asked/);
  });

  it('keeps a run whose workflow is open or cannot be asked, whatever its row says', async () => {
    const slug = slugOf(5);
    await addRun(slug, 'destroyed', 5);
    await endedDirectory(slug);
    await server().client.workflow.start('issueWorkflow', {
      workflowId: 'gitea:alice/demo#5',
      taskQueue: 'nobody-polls',
      args: [],
    });
    try {
      await inAHundredDays();
      const [why] = (await removeAll()).get('run') ?? [];
      assert.match(why ?? '', /cannot be asked/);
      assert.ok(existsSync(join(world.home, 'state', slug, 'turns/1/agent.log')));
    } finally {
      await server().client.workflow.getHandle('gitea:alice/demo#5').terminate();
    }
    await cleaner.close();
    await inAHundredDays('127.0.0.1:1');
    assert.equal(await cleaner.temporalAnswers(), false);
    assert.match((await removeAll()).get('run')?.[0] ?? '', /cannot be asked/);
    assert.deepEqual(await cleaner.orphans(), []);
  });

  it('removes blobs that no row names, unless they were put again meanwhile', async () => {
    const blobs = new LocalBlobStore(world.home);
    const named = await blobs.put('named');
    const [forgotten, reused] = [await blobs.put('forgotten'), await blobs.put('reused')];
    await addRun(slugOf(6), 'frozen', 6);
    await world.database.runs.appendTurn({
      slug: 'gc-alice-demo-6-aaaaa',
      turn: 1,
      event: 'begun',
      at: 1,
      detail: { promptHash: named },
    });
    const file = (ref: string): string => join(world.home, 'blobs', ref.slice(0, 2), ref.slice(2));
    await inAHundredDays();
    const plan = planGc(await cleaner.measure(), { now: cleaner.now(), keepMs: cleaner.keepMs });
    // Put again a hundred days later, as the janitor's clock has it.
    const later = new Date(cleaner.now());
    utimesSync(file(reused), later, later);
    const outcomes = new Map(
      await Promise.all(
        plan.flatMap((removal) =>
          removal.kind === 'blob' ? [cleaner.remove(removal).then((why) => [removal.ref, why] as const)] : [],
        ),
      ),
    );
    assert.deepEqual(outcomes.get(forgotten), null);
    assert.match(outcomes.get(reused) ?? '', /in use again/);
    assert.ok(!outcomes.has(named));
    assert.deepEqual([named, forgotten, reused].map(file).map(existsSync), [true, false, true]);
    const old = new Date(1_000);
    utimesSync(file(named), old, old);
    await blobs.put('named');
    const put = (await cleaner.measure()).blobs.find(({ ref }) => ref === named);
    assert.ok((put?.storedAt ?? 0) > Date.now() - 60_000, 'putting the same again counts as use');
  });

  it('removes the mirror of a repository that no run works on, and a new one is made when it is needed', async () => {
    const mirrorsDir = join(world.home, 'mirrors');
    const repository = world.git.repository({ mirrorsDir });
    await repository.refresh(REPO, 'main', []);
    await inAHundredDays();
    const [mirror] = (await cleaner.measure()).mirrors;
    assert.ok(mirror !== undefined && mirror.bytes > 0);
    const slug = slugOf(7);
    await addRun(slug, 'frozen', 7);
    assert.equal((await removeAll()).get('mirror'), undefined, 'a run works on it');
    assert.match(
      (await cleaner.remove({ kind: 'mirror', directory: mirror.directory, bytes: 0 })) ?? '',
      /in use/,
    );
    await world.database.forgeState.upsert(
      stateRow({ slug, status: 'destroyed', issueNumber: 7, destroyedAt: 1 }),
    );
    assert.deepEqual((await removeAll()).get('mirror'), [null]);
    assert.ok(!existsSync(mirror.directory));
    assert.equal((await repository.refresh(REPO, 'main', [])).baseBranch, 'main');
  });

  it('leaves the name of a run that ended on its image to the sweeper, and says so', async () => {
    const [ended, alive] = [slugOf(8), slugOf(9)] as const;
    await addRun(ended, 'destroyed', 8);
    await addRun(alive, 'frozen', 9);
    for (const slug of [ended, alive]) await world.pin(slug);
    await inAHundredDays();
    await removeAll();
    assert.equal(await world.isPinned(ended), true);
    assert.ok((await cleaner.orphans()).some((one) => one.kind === 'unpin' && one.slug === ended));
  });

  it('removes an image that was built for a bottle when no container is made from it', async () => {
    const [repo, tag] = reference.split(':');
    const stream = await world.docker.importImage(Readable.from([Buffer.alloc(10_240)]), { repo, tag });
    for await (const _ of stream);
    const made = await world.docker.createContainer({ Image: reference, Cmd: ['/none'] });
    try {
      await inAHundredDays();
      assert.equal((await removeAll()).get('image'), undefined);
      assert.match((await cleaner.remove({ kind: 'image', reference, bytes: 0 })) ?? '', /container/);
    } finally {
      await made.remove();
    }
    assert.deepEqual((await removeAll()).get('image'), [null]);
    await assert.rejects(world.docker.getImage(reference).inspect());
  });
});
