import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { takeOver } from '../../../src/activities/turn/begin/take-over.js';
import { sharedGitea } from '../../support/gitea/shared-gitea.js';
import { GateWorld, refusalOf } from '../../support/publish/gate-world.js';

const { signal } = new AbortController();
const WORK = 'echo mine >mine.txt; git add mine.txt; git commit -qm Mine';

describe('a run that comes back to a host with an old workspace of it', function () {
  this.timeout(180_000);
  let world: GateWorld;
  beforeEach(async () => {
    world = await GateWorld.create(await sharedGitea());
  });
  afterEach(() => world.remove());

  const isEmpty = async (): Promise<boolean> => (await readdir(world.workspace)).length === 0;
  /** Commits that a kept bundle brings. */
  const keptIn = async (file: string): Promise<string> => {
    const root = world.ports.files.paths(world.slug).root;
    const mirror = world.clone();
    world.git(mirror, 'fetch', '-q', join(root, file), world.branch);
    return world.git(mirror, 'log', '--format=%s', 'origin/main..FETCH_HEAD');
  };

  it('begins from what is published: changes are gone, and commits that nobody has are in a bundle', async () => {
    await world.agent(`${WORK}; echo half >half.txt; mkdir .cache; chmod 500 .cache`);
    assert.equal(await takeOver(world.ports, world.moved('lost'), signal), true);
    assert.ok(await isEmpty());
    assert.equal(await keptIn('unpublished-1.bundle'), 'Mine');

    // A try that died after that begins again, and keeps what is kept.
    assert.equal(await takeOver(world.ports, world.moved('lost'), signal), true);
    assert.equal(await keptIn('unpublished-1.bundle'), 'Mine');

    const seen = await world.agent(
      'ls -A; git log --format=%s; echo new >new.txt; git add .; git commit -qm New',
    );
    assert.doesNotMatch(seen, /mine|half|cache|Mine/);
    const { publish } = await world.settle();
    assert.equal(publish.kind, 'published', JSON.stringify(publish));
    const there = world.clone(world.branch);
    assert.equal(world.git(there, 'log', '--format=%s', 'origin/main..HEAD'), 'New');
  });

  it('publishes on top of what another host has published meanwhile', async () => {
    await world.agent(WORK);
    assert.equal((await world.settle()).publish.kind, 'published');
    const other = world.clone(world.branch);
    await writeFile(join(other, 'theirs.txt'), 'x');
    world.git(other, 'add', '.');
    world.git(other, 'commit', '-qm', 'Theirs');
    world.git(other, 'push', '-q', 'origin', world.branch);
    // As the workflow has it from the other host.
    world.head = world.git(other, 'rev-parse', 'HEAD');

    // What was here before: the old head, of which the gate can only say that the branch was rewritten.
    await world.agent('echo old >old.txt; git add .; git commit -qm Old');
    assert.match(refusalOf((await world.settle()).publish), /rewritten/);

    world.head = world.git(other, 'rev-parse', 'HEAD');
    assert.equal(await takeOver(world.ports, world.moved('lost', 2), signal), true);
    await world.agent('echo new >new.txt; git add .; git commit -qm New');
    const { publish } = await world.settle();
    assert.equal(publish.kind, 'published', JSON.stringify(publish));
    const there = world.clone(world.branch);
    assert.equal(world.git(there, 'log', '--format=%s', 'origin/main..HEAD'), 'New\nTheirs\nMine');
    assert.equal(await keptIn('unpublished-1.bundle'), 'Old\nMine');
  });

  it('leaves the workspace where the host has the end of the last turn', async () => {
    await world.agent('echo half >half.txt');
    assert.equal(await takeOver(world.ports, world.moved('kept'), signal), false);
    assert.ok((await readdir(world.workspace)).includes('half.txt'));
  });
});
