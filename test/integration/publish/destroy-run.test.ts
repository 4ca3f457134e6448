import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import Docker from 'dockerode';
import { destroyRun } from '../../../src/activities/destroy-run.js';
import { stepOfRun } from '../../../src/activities/base/work-of-run.js';
import { labelsOf, oneShotName } from '../../../src/adapters/docker/names-and-labels.js';
import { oneShotContainer } from '../../../src/adapters/docker/one-shot-container.js';
import { createVolumes } from '../../../src/adapters/docker/volumes.js';
import { LocalQueueDirectory } from '../../../src/adapters/files/queue/queue-directory.js';
import { UnderWayFiles } from '../../../src/adapters/files/under-way.js';
import { SetAsideError } from '../../../src/domain/run/under-way.js';
import { sharedGitea } from '../../support/gitea/shared-gitea.js';
import { GateWorld } from '../../support/publish/gate-world.js';

describe("a run's end, against a real forge and a real engine", function () {
  this.timeout(180_000);
  let world: GateWorld;
  before(async () => {
    world = await GateWorld.create(await sharedGitea());
  });
  after(() => world.remove());

  it('removes what a killed worker left running on the volumes', async () => {
    await world.agent('true');
    const { slug, subject, branch, runtime, ports } = world;
    const docker = new Docker();
    await createVolumes(docker, slug, null);
    const spec = {
      name: 'usage',
      slug,
      image: ports.settings.bundleImage,
      argv: ['/usr/bin/sleep', '300'],
      user: 'reader',
      mounts: [],
      volumes: [{ kind: 'home', target: '/home', readOnly: true }],
      env: {},
      timeoutMs: 60_000,
      maxOutputBytes: 1024,
    } as const;
    const left = await docker.createContainer({
      ...oneShotContainer(spec, 1),
      name: oneShotName(slug, spec.name),
      Labels: labelsOf(slug, 'once'),
    });
    await left.start();

    await destroyRun(ports, { slug, subject, branch });
    assert.deepEqual(await runtime.list(slug), []);
  });

  for (const style of ['merge', 'squash'] as const)
    it(`keeps no history of the forge’s after a ${style}, with the branch deleted`, async () => {
      const world = await GateWorld.create(await sharedGitea());
      await world.agent('echo x >a; git add a; git commit -qm Work');
      const base = world.refs?.baseSha ?? '';
      const { publish } = await world.settle();
      assert.ok(publish.kind === 'published', JSON.stringify(publish));
      await world.alice.mergePr(publish.pr, style);
      await world.alice.api.call(
        'DELETE',
        `/repos/${world.repository}/branches/${encodeURIComponent(world.branch)}`,
      );
      const { slug, subject, branch, turn, ports } = world;
      await destroyRun(ports, { slug, subject, branch, turn });
      const bundle = await ports.files.readFile(slug, 'unpublished.bundle');
      const header = bundle && Buffer.from(bundle).toString('latin1').split('\n\n')[0];
      if (style === 'merge') assert.equal(header, undefined);
      else assert.match(header ?? '', new RegExp(`^-${base} `, 'm'));
      await world.remove();
    });

  it('ends although nothing of what its agent left can be kept', async () => {
    await world.agent('echo x >a; git add a; git commit -qm Work');
    const { slug, subject, branch, runtime, ports } = world;
    const warned: string[] = [];
    const broken = (): Promise<never> => Promise.reject(new Error('EIO'));
    // Their own methods need their own objects: these are the world's, which ends with this test.
    const queue = Object.assign(ports.queue, { archive: broken });
    const files = Object.assign(ports.files, { saveFile: broken });
    const log = { ...ports.log, warn: (_: object, what: string) => void warned.push(what) };
    await destroyRun({ ...ports, queue, files, log }, { slug, subject, branch });
    assert.deepEqual(await runtime.list(slug), []);
    assert.equal(existsSync(world.workspace), false);
    assert.deepEqual(warned, [
      'keeping its unpublished commits failed; going on without',
      'keeping the messages of its queue failed; going on without',
    ]);
  });

  for (const step of ['keep-commits', 'keep-queue'] as const)
    it(`ends although ${step} killed two workers: that is left out, and no container stays`, async () => {
      await world.agent('echo x >a; git add a; git commit -qm Work');
      const { home, slug, subject, branch, runtime, ports } = world;
      const never = new Promise<never>(() => undefined);
      for (let worker = 1; worker <= 2; worker += 1) {
        const underWay = await UnderWayFiles.open(home);
        const dies = new Promise<never>((_resolve, reject) => {
          const deadly = (): Promise<never> => {
            reject(new Error('the worker died'));
            return never;
          };
          const queue = Object.assign(new LocalQueueDirectory({ home }), { archive: deadly });
          const git = Object.assign(Object.create(ports.git) as typeof ports.git, { refresh: deadly });
          const mine = step === 'keep-queue' ? { ...ports, queue } : { ...ports, git };
          void destroyRun({ ...mine, underWay }, { slug, subject, branch });
        });
        await assert.rejects(dies, /the worker died/);
      }
      const warned: string[] = [];
      const log = {
        ...ports.log,
        warn: ({ err }: { err?: unknown }) => {
          if (err instanceof Error) warned.push(err.message);
        },
      };
      const underWay = await UnderWayFiles.open(home);
      await destroyRun({ ...ports, underWay, log }, { slug, subject, branch });
      assert.deepEqual(await runtime.list(slug), []);
      assert.equal(existsSync(world.workspace), false);
      // The home is the other tests', too.
      assert.ok(warned.includes(new SetAsideError(stepOfRun(slug, step)).message), warned.join());
    });
});
