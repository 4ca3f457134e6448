import assert from 'node:assert/strict';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import Docker from 'dockerode';
import { agentContainer } from '../../../src/adapters/docker/agent-container.js';
import { bundleContainer } from '../../../src/adapters/docker/bundle-container.js';
import { containerName, labelsOf, volumeName } from '../../../src/adapters/docker/names-and-labels.js';
import { createVolumes } from '../../../src/adapters/docker/volumes.js';
import { weaknessesOf } from '../../../src/adapters/docker/weaknesses.js';
import { BottleRuntimeError } from '../../../src/domain/errors.js';
import { TestBottle } from './support/test-bottle.js';
import { AGENT, SECRET } from './support/weak-agents.js';
import { AGENT_MOUNTS, BUNDLE, OTHER_HOME } from './support/weak-mounts.js';
import type { Options, Weakening } from './support/weakening.js';

const LOOK = new URL('../../support/probes/look.mjs', import.meta.url);
const BUNDLE_IMAGE = 'bot-bottle/bundle:dev';

describe('docker: a bottle weakened in one place', function () {
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
    await docker.getVolume(OTHER_HOME).remove();
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
});
