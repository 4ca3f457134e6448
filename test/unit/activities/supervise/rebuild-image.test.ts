import assert from 'node:assert/strict';
import { rebuildImage } from '../../../../src/activities/supervise/rebuild-image.js';
import { keepRunImage, type RunImage } from '../../../../src/activities/setup/run-image-file.js';
import { buildSteps } from '../../../../src/activities/supervise/build-steps.js';
import { BottleRuntimeError } from '../../../../src/domain/base/errors.js';
import { ImageBuildError, type ImageBuildSpec } from '../../../../src/domain/bottle/bottle-image.js';
import { withNetwork, type ShownProposal } from '../../../../src/domain/supervise/shown-proposal.js';
import { useHostWorld, SLUG } from '../../../support/host/host-world.js';
import { IMAGE, shownProposal } from '../../../support/supervise/shown.js';

const BUILT = `sha256:${'2'.repeat(64)}`;

describe('the image that an operator agreed to', () => {
  const { signal } = new AbortController();
  const world = useHostWorld();
  let built: ImageBuildSpec[];
  beforeEach(() => {
    built = [];
    world.build = (spec) => {
      built.push(spec);
      return Promise.resolve({ id: BUILT, name: 'built', log: `log ${String(built.length)}` });
    };
  });

  const image: RunImage = { id: IMAGE, name: 'image', dockerfile: null, changes: [] };
  const put = (shown: ShownProposal): Promise<string> => world.ports.blobs.put(JSON.stringify(shown));
  const step = (run: string): ShownProposal =>
    shownProposal({ tool: 'capability-block', proposed_file: `FROM ${IMAGE}\nRUN ${run}\n` });
  const rebuild = async (changes: readonly string[]) =>
    rebuildImage(world.ports, { ...(await world.turning()), changes }, signal);
  const logOf = async (ref: string): Promise<string> => {
    const log = await world.ports.files.readFile(SLUG, `image-build-${ref.slice(0, 12)}.log`);
    return Buffer.from(log ?? []).toString();
  };

  it('has the steps on top of the run’s image, each change on the one before it', async () => {
    await keepRunImage(world.ports.files, SLUG, image);
    const refs = [await put(step('make')), await put(step('make install'))];
    assert.deepEqual(await rebuild(refs), { kind: 'built' });
    assert.deepEqual(built, [
      { slug: SLUG, base: IMAGE, dockerfile: `FROM ${IMAGE}\nRUN make\n`, network: 'none' },
      { slug: SLUG, base: BUILT, dockerfile: `FROM ${BUILT}\nRUN make install\n`, network: 'none' },
    ]);
    assert.deepEqual(await Promise.all(refs.map(logOf)), ['log 1', 'log 2']);
  });

  it('is built with a network only where the operator said so', async () => {
    await keepRunImage(world.ports.files, SLUG, image);
    await rebuild([await put(withNetwork(step('make')))]);
    assert.deepEqual(
      built.map(({ network }) => network),
      ['default'],
    );
  });

  it('has no step twice, and none of what is no step', async () => {
    const [old, hosts, next] = [await put(step('make')), await put(shownProposal()), await put(step('test'))];
    const made = await buildSteps(
      world.ports,
      SLUG,
      { ...image, changes: [old] },
      [old, hosts, next],
      signal,
    );
    assert.deepEqual(made, { ...image, id: BUILT, changes: [old, next] });
    assert.deepEqual(
      built.map(({ dockerfile }) => dockerfile),
      [`FROM ${IMAGE}\nRUN test\n`],
    );
  });

  it('has no log of a build that was found done', async () => {
    world.build = () => Promise.resolve({ id: BUILT, name: 'built', log: null });
    const ref = await put(step('make'));
    assert.equal((await buildSteps(world.ports, SLUG, image, [ref], signal)).id, BUILT);
    assert.equal(await logOf(ref), '');
  });

  it('says what is wrong with the steps, and keeps what the build printed', async () => {
    await keepRunImage(world.ports.files, SLUG, image);
    world.build = () => Promise.reject(new ImageBuildError('make: not found', 'all of the log'));
    const ref = await put(step('make'));
    const answer = await rebuild([ref]);
    assert.ok(answer.kind === 'failed');
    assert.equal(await world.ports.blobs.getText(answer.reasonRef), 'make: not found');
    assert.equal(await logOf(ref), 'all of the log');
  });

  it('is tried again when it is the engine that failed', async () => {
    await keepRunImage(world.ports.files, SLUG, image);
    const away = new BottleRuntimeError('no engine', true, { away: true });
    world.build = () => Promise.reject(away);
    const ref = await put(step('make'));
    await assert.rejects(rebuild([ref]), away);
    assert.equal(await logOf(ref), '');
  });

  it('cannot be made on a host where the run never had one', async () => {
    await assert.rejects(rebuild([await put(step('make'))]), {
      name: 'InvalidInputError',
      message: /no image on its host yet/,
    });
    assert.deepEqual(built, []);
  });
});
