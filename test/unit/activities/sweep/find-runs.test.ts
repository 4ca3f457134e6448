import assert from 'node:assert/strict';
import { snapshotOf } from '../../../../src/activities/transcript/kept-snapshots.js';
import { findRuns } from '../../../../src/activities/sweep/find-runs.js';
import { METADATA_FILE } from '../../../../src/domain/run/run-metadata.js';
import type { ExpectedRun, FoundRun } from '../../../../src/domain/upkeep/sweep.js';
import { BRANCH, SLUG } from '../../../support/host/host-world.js';
import { object, OLD, useSweptHost, WORKFLOW } from '../../../support/sweep/swept-host.js';

const OTHER = 'coder-alice-demo-11-abc11';
const subject = { forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 } as const;
const EXPECTED: ExpectedRun = { slug: SLUG, workflowId: WORKFLOW, subject, branch: BRANCH };
const at = Date.parse(OLD);

describe('what a sweep finds on a host', () => {
  const host = useSweptHost();
  beforeEach(async () => {
    await host.ports.files.removeTransient(SLUG);
  });

  const find = (expected: readonly ExpectedRun[] = []): Promise<readonly FoundRun[]> =>
    findRuns(host.ports, expected);
  const only = async (expected: readonly ExpectedRun[] = []): Promise<FoundRun> => {
    const [run, ...more] = await find(expected);
    assert.deepEqual(more, []);
    return run ?? assert.fail('nothing was found');
  };
  const NOTHING: FoundRun = {
    ...{ slug: SLUG, workflowId: null, subject: null, branch: null, secretsAt: null },
    ...{ containers: [], volumes: [], directory: null, hasTranscript: false, pinned: false, expected: false },
  };

  it('is nothing where nothing is', async () => {
    assert.deepEqual(await find(), []);
  });

  it('is a run that should be here, though nothing of it is', async () => {
    assert.deepEqual(await only([EXPECTED]), { ...NOTHING, ...EXPECTED, expected: true });
  });

  it('is a run with a name on an image', async () => {
    host.pinned.add(SLUG);
    assert.deepEqual(await only(), { ...NOTHING, pinned: true });
  });

  it('is a run with a directory, and whose it is by what is kept there, before what the database says', async () => {
    await host.ports.files.prepare(SLUG);
    await host.ports.files.placeSecrets(SLUG, []);
    const metadata = { workflowId: 'gitea:alice/renamed#12', repoId: 7, subject, branch: 'their/branch' };
    await host.ports.files.saveFile(SLUG, METADATA_FILE, JSON.stringify(metadata));
    const { workflowId, branch, directory, secretsAt, expected } = await only([EXPECTED]);
    assert.deepEqual([workflowId, branch, expected], ['gitea:alice/renamed#12', 'their/branch', true]);
    assert.ok(directory !== null && directory.changedAt > 0 && secretsAt !== null && secretsAt > 0);
    await host.ports.files.saveFile(SLUG, METADATA_FILE, '{');
    assert.equal((await only([EXPECTED])).branch, BRANCH, 'what cannot be read says nothing');
  });

  it('is what the engine has of a run, each thing with its age', async () => {
    const finishedAt = '2026-11-23T09:30:00.000Z';
    host.world.containers = {
      agent: { finishedAt },
      bundle: { startedAt: 'now', finishedAt: '0001-01-01T00:00:00Z' },
    };
    const bundle = object('bundle', { running: true });
    host.objects = [object('agent'), bundle, object('once'), object('home')];
    const { containers, volumes, hasTranscript } = await only();
    const idle = { running: false, createdAt: at, startedAt: OLD };
    assert.deepEqual(containers, [
      { ...idle, name: `bb-${SLUG}-agent`, role: 'agent', idleSince: Date.parse(finishedAt) },
      { ...idle, name: bundle.name, role: 'bundle', running: true, startedAt: 'now', idleSince: at },
      { ...idle, name: `bb-${SLUG}-once`, role: 'once', idleSince: at },
    ]);
    assert.deepEqual(volumes, [{ name: `bb-${SLUG}-home`, role: 'home', createdAt: at }]);
    assert.equal(hasTranscript, true, 'its home has the session');
  });

  it('is no container that went meanwhile', async () => {
    host.objects = [object('agent'), object('home')];
    host.ports.runtime.inspect = () => Promise.resolve(undefined);
    assert.deepEqual((await only()).containers, []);
  });

  it('runs or not as the engine says when it is asked for it, not as it was listed', async () => {
    host.objects = [object('agent', { running: true })];
    host.world.containers = { agent: { status: 'exited' } };
    assert.deepEqual(
      (await only()).containers.map(({ running }) => running),
      [false],
    );
  });

  it('has a session where nothing but a snapshot is left', async () => {
    await host.ports.files.prepare(SLUG);
    await host.ports.files.saveFile(SLUG, snapshotOf(1), 'x');
    assert.equal((await only()).hasTranscript, true);
  });

  it('is nothing of what has no run’s name, whoever gave it our labels', async () => {
    host.objects = [object('agent', { slug: '../etc' }), object('agent', { slug: OTHER, name: 'other' })];
    assert.deepEqual(
      (await find()).map(({ slug }) => slug),
      [OTHER],
    );
  });

  it('is each run once, by its name, but those that nobody may look at', async () => {
    await host.ports.files.prepare(SLUG);
    host.objects = [object('agent'), object('home', { slug: OTHER }), object('sock', { slug: OTHER })];
    host.pinned.add(OTHER);
    assert.deepEqual(
      (await find([EXPECTED])).map(({ slug, containers, volumes }) => [
        slug,
        containers.length,
        volumes.length,
      ]),
      [
        [OTHER, 0, 2],
        [SLUG, 1, 0],
      ],
    );
    const seen = await findRuns(host.ports, [], (slug, look) =>
      slug === OTHER ? Promise.resolve(undefined) : look(),
    );
    assert.deepEqual(
      seen.map(({ slug }) => slug),
      [SLUG],
    );
  });
});
