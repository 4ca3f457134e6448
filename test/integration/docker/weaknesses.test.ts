import assert from 'node:assert/strict';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Docker from 'dockerode';
import { agentContainer } from '../../../src/adapters/docker/agent-container.js';
import { bundleContainer } from '../../../src/adapters/docker/bundle-container.js';
import { dockerBottleRuntime } from '../../../src/adapters/docker/docker-runtime.js';
import { oneShotContainer } from '../../../src/adapters/docker/one-shot-container.js';
import { containerName, labelsOf, volumeName } from '../../../src/adapters/docker/names-and-labels.js';
import { createVolumes } from '../../../src/adapters/docker/volumes.js';
import { weaknessesOf } from '../../../src/adapters/docker/weaknesses.js';
import { BottleRuntimeError } from '../../../src/domain/base/errors.js';
import { BUNDLE_IMAGE, TestBottle } from './support/test-bottle.js';
import { AGENT, SECRET } from './support/weak-agents.js';
import { AGENT_MOUNTS, BUNDLE, OTHER_HOME } from './support/weak-mounts.js';
import { row, type Options, type Weakening } from './support/weakening.js';

const LOOK = new URL('../../support/probes/look.mjs', import.meta.url);

describe('docker: what lacks some of our hardening', function () {
  this.timeout(60_000);
  const docker = new Docker();
  let bottle: TestBottle;

  before(async () => {
    bottle = await TestBottle.make(docker, BUNDLE_IMAGE);
    await copyFile(LOOK, join(bottle.dir, 'turn/look.mjs'));
    await createVolumes(docker, bottle.slug, null);
  });
  after(async () => {
    await bottle.dispose();
    // The engine made it up for that row.
    await docker
      .getVolume(OTHER_HOME)
      .remove()
      .catch(() => undefined);
  });

  const optionsOf = (role: 'agent' | 'bundle'): Options => {
    const made =
      role === 'agent' ? agentContainer(bottle.agentSpec(), 2) : bundleContainer(bottle.bundleSpec(), 2);
    return {
      ...made,
      name: containerName(bottle.slug, role),
      Labels: labelsOf(bottle.slug, role),
      HostConfig: { ...made.HostConfig },
      ...(role === 'agent' ? { Entrypoint: ['node', '/run/bottle/turn/look.mjs'] } : {}),
    };
  };

  async function findings(
    role: 'agent' | 'bundle',
    { change, seen }: Weakening,
  ): Promise<Omit<Weakening, 'what' | 'change'>> {
    const options = optionsOf(role);
    change(options.HostConfig, options, bottle.dir);
    const container = await docker.createContainer(options);
    try {
      const told = weaknessesOf(await container.inspect(), [SECRET]);
      if (seen === null) return { told, seen };
      await container.start();
      await container.wait();
      const said = (await container.logs({ stdout: true, stderr: true })).toString();
      return { told, seen: JSON.parse(said.slice(said.lastIndexOf('['))) as string[] };
    } finally {
      await container.remove({ force: true, v: true });
    }
  }

  for (const [role, rows] of Object.entries({ agent: [...AGENT, ...AGENT_MOUNTS], bundle: BUNDLE }) as [
    'agent' | 'bundle',
    Weakening[],
  ][])
    for (const one of rows)
      it(`${role} with ${one.what}: ${[...one.told, ...(one.seen ?? []).map((name) => `sees ${name}`)].join(', ')}`, async () => {
        assert.deepEqual(await findings(role, one), { told: one.told, seen: one.seen });
      });

  /** One of ours that is privileged. */
  const makeWeak = (labels = {}): Promise<Docker.Container> => {
    const options = optionsOf('agent');
    options.HostConfig.Privileged = true;
    return docker.createContainer({ ...options, Labels: { ...options.Labels, ...labels } });
  };

  it('is not started, and the error says why and what to do', async () => {
    const weak = await makeWeak();
    try {
      await assert.rejects(bottle.runtime.start(bottle.slug, 'agent'), (error: unknown) => {
        assert.ok(error instanceof BottleRuntimeError && !error.retryable);
        const name = containerName(bottle.slug, 'agent');
        assert.match(
          error.message,
          /is not started, .*: it is privileged, .*can write kernel files\. Remove it/,
        );
        assert.ok(error.message.includes(`docker rm -f ${name}`));
        return true;
      });
      assert.equal((await weak.inspect()).State.Status, 'created');
    } finally {
      await weak.remove({ force: true });
    }
  });

  it('is replaced once it has stopped, and not taken for a bottle while it runs', async () => {
    const { runtime, slug } = bottle;
    const weak = await makeWeak();
    try {
      await weak.start();
      await weak.wait();
      await bottle.shell('exec sleep 60');
      const replaced = await runtime.createAgent(bottle.agentSpec());
      assert.notEqual(replaced.id, weak.id);
      const { startedAt } = await runtime.start(slug, 'agent');
      assert.deepEqual((await runtime.createAgent(bottle.agentSpec())).startedAt, startedAt);
      await runtime.remove(slug, 'agent');
      const options = { ...optionsOf('agent'), Entrypoint: ['sleep', '60'] };
      options.HostConfig.CapAdd = ['NET_RAW'];
      const running = await docker.createContainer(options);
      await running.start();
      assert.equal((await runtime.createAgent(bottle.agentSpec())).id, running.id);
      await assert.rejects(runtime.start(slug, 'agent'), /it has capabilities/);
    } finally {
      await runtime.remove(slug, 'agent');
    }
  });

  it('is what doctor is told of, of its own host and no other', async () => {
    const host = `h${bottle.slug.slice(-8)}`;
    const own = dockerBottleRuntime({ docker, host });
    const labels = labelsOf(bottle.slug, 'sock', host);
    const options = { type: 'none', o: 'bind', device: bottle.dir };
    const volume = `${volumeName(bottle.slug, 'sock')}-odd`;
    await docker.createVolume({ Name: volume, Labels: labels, DriverOpts: options });
    const weak = await makeWeak({ 'bot-bottle.host': host });
    try {
      const found = await own.weakObjects([]);
      assert.deepEqual(
        found.map(({ name, weaknesses }) => [name, weaknesses[0]]),
        [
          [containerName(bottle.slug, 'agent'), 'is privileged'],
          [volume, 'is made of something of the host'],
        ],
      );
      const shown = await own.weakObjects([bottle.dir]);
      assert.ok(shown[0]?.weaknesses.includes('shows a secret to docker inspect'));
      assert.deepEqual(await dockerBottleRuntime({ docker, host: 'another' }).weakObjects([]), []);
      await weak.remove({ force: true });
      await own.createAgent(bottle.agentSpec());
      assert.deepEqual(
        (await own.weakObjects([])).map(({ name }) => name),
        [volume],
      );
    } finally {
      await own.remove(bottle.slug, 'agent');
      await docker.getVolume(volume).remove();
    }
  });

  it('is no throw-away container of any kind, unless it has a network', async () => {
    for (const user of ['agent', 'remover', 'reader'] as const)
      for (const network of ['none', 'bridge']) {
        const mounts = [{ source: bottle.dir, target: '/tree', readOnly: false }];
        const made = oneShotContainer(bottle.oneShot('true', { user, mounts }), 2);
        const container = await docker.createContainer({
          ...made,
          Labels: labelsOf(bottle.slug, 'once'),
          HostConfig: { ...made.HostConfig, NetworkMode: network },
        });
        try {
          const told = weaknessesOf(await container.inspect());
          assert.deepEqual(told, network === 'none' ? [] : ['has a network'], user);
        } finally {
          await container.remove({ force: true });
        }
      }
  });

  it('agent with the engine’s socket in the volume of its sockets: sees sockets', async () => {
    await writeFile(join(bottle.dir, 'docker.sock'), '');
    const name = volumeName(bottle.slug, 'sock');
    await docker.getVolume(name).remove();
    const options = { type: 'none', o: 'bind', device: bottle.dir };
    await docker.createVolume({ Name: name, Labels: labelsOf(bottle.slug, 'sock'), DriverOpts: options });
    const { seen } = await findings(
      'agent',
      row('', () => undefined, [], []),
    );
    assert.deepEqual(seen, ['sockets']);
    const weak = await bottle.runtime.weakObjects([]);
    assert.ok(weak.some((one) => one.name === name));
  });
});
