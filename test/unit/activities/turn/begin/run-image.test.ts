import assert from 'node:assert/strict';
import { sha256 } from '../../../../../src/activities/base/sha256.js';
import { keepChanges } from '../../../../../src/activities/setup/kept-changes.js';
import { readRunImage, type RunImage } from '../../../../../src/activities/setup/run-image-file.js';
import { runImage } from '../../../../../src/activities/turn/begin/run-image.js';
import { ImageBuildError, type ImageBuildSpec } from '../../../../../src/domain/bottle/bottle-image.js';
import { SLUG } from '../../../../support/host/host-world.js';
import { sampleBottle } from '../../../../support/manifests/samples.js';
import { shownProposal } from '../../../../support/supervise/shown.js';
import { IMAGE_ID, TurnWorld } from '../../../../support/turn/turn-world.js';
import { useNewPaths } from '../../../../support/webhook/temp-dir.js';

const BUILT = `sha256:${'2'.repeat(64)}`;
const DOCKERFILE = 'FROM scratch\n';
const { signal } = new AbortController();

describe('the image of a run', () => {
  const newPath = useNewPaths();
  let world: TurnWorld;
  let built: ImageBuildSpec[];
  beforeEach(async () => {
    world = await TurnWorld.open(newPath());
    built = [];
    world.host.build = (spec) => {
      built.push(spec);
      return Promise.resolve({ id: BUILT, name: 'built', log: 'what it printed' });
    };
  });

  const choose = async (dockerfile: string | null = null, image = 'agent:1'): Promise<string> => {
    const turn = await world.host.turning();
    const prepared = { ...turn.prepared, image };
    // The engine keeps what a test builds under its id.
    const ports = { ...world.ports, runtime: { ...world.ports.runtime, buildImage: world.host.build } };
    return runImage(ports, { ...turn, prepared }, sampleBottle({ dockerfile }), signal);
  };
  const kept = (): Promise<RunImage | undefined> => readRunImage(world.ports.files, SLUG);

  it('is the one that is named, by its id, whatever has the name later', async () => {
    assert.equal(await choose(), IMAGE_ID);
    assert.deepEqual(await kept(), { id: IMAGE_ID, name: 'agent:1', dockerfile: null, changes: [] });
    assert.equal(await choose(DOCKERFILE, 'agent:2'), IMAGE_ID);
    assert.deepEqual([world.pinned, built], [['agent:1', IMAGE_ID, IMAGE_ID], []]);
  });

  it('is built from the bottle’s own Dockerfile, on the one that is named, with its log kept', async () => {
    assert.equal(await choose(DOCKERFILE), BUILT);
    assert.deepEqual(built, [{ slug: SLUG, dockerfile: DOCKERFILE, base: 'agent:1', network: 'default' }]);
    assert.deepEqual(await kept(), { id: BUILT, name: BUILT, dockerfile: sha256(DOCKERFILE), changes: [] });
    const log = await world.ports.files.readFile(SLUG, 'image-build.log');
    assert.equal(Buffer.from(log ?? []).toString(), 'what it printed');
  });

  it('is none where it cannot be built, and nothing is kept of it', async () => {
    world.host.build = () => Promise.reject(new ImageBuildError('no such package', 'the log'));
    await assert.rejects(choose(DOCKERFILE), /no such package/);
    assert.equal(await kept(), undefined);
    const log = await world.ports.files.readFile(SLUG, 'image-build.log');
    assert.equal(Buffer.from(log ?? []).toString(), 'the log');
  });

  it('has what an operator agreed to since, once', async () => {
    await choose();
    const shown = shownProposal({
      tool: 'capability-block',
      proposed_file: `FROM sha256:${'1'.repeat(64)}\nRUN make\n`,
    });
    const ref = await world.ports.blobs.put(JSON.stringify(shown));
    await keepChanges(world.ports.files, SLUG, [ref]);
    assert.equal(await choose(), BUILT);
    assert.deepEqual(await kept(), { id: BUILT, name: 'agent:1', dockerfile: null, changes: [ref] });
    assert.equal(await choose(), BUILT);
    assert.equal(built.length, 1);
  });
});
