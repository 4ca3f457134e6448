import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { sha256 } from '../../../../src/activities/base/sha256.js';
import { readSetup } from '../../../../src/activities/setup/read-setup.js';
import {
  keepRunImage,
  readRunImage,
  shownImage,
  type RunImage,
} from '../../../../src/activities/setup/run-image-file.js';
import { writeConfig } from '../../../../src/activities/setup/write-config.js';
import { useHostWorld, SLUG } from '../../../support/host/host-world.js';
import { IMAGE, shownProposal } from '../../../support/supervise/shown.js';

const DOCKERFILE = 'FROM scratch\n';

describe('the image that a run’s agent runs from', () => {
  const world = useHostWorld();

  const image = (changes: Partial<RunImage> = {}): RunImage => ({
    ...{ id: IMAGE, name: 'image', dockerfile: sha256(DOCKERFILE), changes: [] },
    ...changes,
  });
  const shown = (dockerfile: string | null = DOCKERFILE) => shownImage(world.ports, SLUG, { dockerfile });

  it('is nothing before there is one, and then what was kept', async () => {
    assert.equal(await readRunImage(world.ports.files, SLUG), undefined);
    assert.equal(await shown(), null);
    await keepRunImage(world.ports.files, SLUG, image());
    assert.deepEqual(await readRunImage(world.ports.files, SLUG), image());
  });

  it('is shown with the Dockerfile that it was made from, and with none that came later', async () => {
    await keepRunImage(world.ports.files, SLUG, image());
    assert.deepEqual(await shown(), { id: IMAGE, dockerfile: DOCKERFILE, steps: [] });
    assert.equal((await shown('FROM other\n'))?.dockerfile, null);
    await keepRunImage(world.ports.files, SLUG, image({ dockerfile: null }));
    assert.equal((await shown())?.dockerfile, null);
    assert.equal((await shown(null))?.dockerfile, null);
  });

  it('is shown with the steps that were added, in order, and nothing else that was agreed to', async () => {
    const put = (proposed?: string): Promise<string> =>
      world.ports.blobs.put(
        JSON.stringify(
          shownProposal(
            proposed === undefined
              ? {}
              : { tool: 'capability-block', proposed_file: `FROM ${IMAGE}\n${proposed}` },
          ),
        ),
      );
    const changes = [await put('RUN make\nUSER agent\n'), await put(), await put('RUN test\n')];
    await keepRunImage(world.ports.files, SLUG, image({ changes }));
    assert.deepEqual((await shown())?.steps, ['RUN make', 'USER agent', 'RUN test']);
  });

  it('stands in what agent and sidecar read of the bottle', async () => {
    const setup = await readSetup(world.ports, await world.turning({}, { dockerfile: DOCKERFILE }));
    const read = (name: string): string =>
      readFileSync(`${world.ports.files.paths(SLUG).currentConfig}/${name}`, 'utf8');
    await writeConfig(world.ports, SLUG, setup);
    assert.throws(() => read('Dockerfile'), { code: 'ENOENT' });
    assert.deepEqual(JSON.parse(read('routes.json')), { routes: [] });
    await keepRunImage(world.ports.files, SLUG, image());
    await writeConfig(world.ports, SLUG, setup);
    assert.match(read('Dockerfile'), new RegExp(`FROM scratch\n(.*\n)*FROM ${IMAGE}\n$`));
  });
});
