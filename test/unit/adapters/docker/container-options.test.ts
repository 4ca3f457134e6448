import assert from 'node:assert/strict';
import { InvalidInputError } from '../../../../src/domain/base/errors.js';
import { agentContainer } from '../../../../src/adapters/docker/agent-container.js';
import { bundleContainer } from '../../../../src/adapters/docker/bundle-container.js';
import {
  containerName,
  oneShotName,
  specHash,
  volumeName,
} from '../../../../src/adapters/docker/names-and-labels.js';

const MIB = 1024 * 1024;
const AGENT = {
  slug: 'claude-alice-demo-1-abcde',
  image: 'i',
  workspaceDir: '/h/workspace',
  turnDir: '/h/turn',
  configDir: '/srv/state/config',
  limits: { memoryBytes: 256 * MIB, cpus: 4, pids: 64 },
  env: {},
};
const BUNDLE = {
  slug: AGENT.slug,
  image: 'i',
  queueOutDir: '/h/out',
  queueInDir: '/h/in',
  tokenFile: '/h/token',
  secretsDir: '/srv/state/secrets',
  configDir: '/srv/state/config',
  caFile: null,
  loopbackDir: null,
  network: 'bridge',
  env: {},
};

describe('container options', () => {
  it('never give more CPUs than the machine has, since the engine refuses that', () => {
    assert.equal(agentContainer(AGENT, 2).HostConfig?.NanoCpus, 2e9);
    assert.equal(
      agentContainer({ ...AGENT, limits: { ...AGENT.limits, cpus: 0.5 } }, 2).HostConfig?.NanoCpus,
      5e8,
    );
  });

  it('refuse an environment that is none', () => {
    for (const env of [{ 'A=B': 'x' }, { '': 'x' }, { 'A B': 'x' }, { A: 'x\0y' }]) {
      assert.throws(() => agentContainer({ ...AGENT, env }, 2), InvalidInputError);
    }
  });

  it('refuse a relative path and the Docker socket as mounts', () => {
    for (const path of ['workspace', '', '/a\0b', '/run/docker.sock', '/var/run/docker.sock']) {
      assert.throws(() => agentContainer({ ...AGENT, workspaceDir: path }, 2), InvalidInputError);
    }
  });

  it('have a runtime only when one is asked for', () => {
    assert.equal('Runtime' in (agentContainer(AGENT, 2).HostConfig ?? {}), false);
    assert.equal(agentContainer({ ...AGENT, runtime: 'runsc' }, 2).HostConfig?.Runtime, 'runsc');
  });

  it('mount certificates and loopback socket into the bundle only when there are any', () => {
    const targets = (more: object): string[] => {
      const mounts = bundleContainer({ ...BUNDLE, ...more }, 2).HostConfig?.Mounts ?? [];
      return mounts.map(({ Target }) => Target);
    };
    const always = ['sock', 'out', 'in', 'forge-token', 'secrets', 'config'].map(
      (name) => `/run/bottle/${name}`,
    );
    assert.deepEqual(targets({}), always);
    assert.deepEqual(targets({ caFile: '/h/ca.pem', loopbackDir: '/h/loop' }), [
      ...always,
      '/run/bottle/ca.pem',
      '/run/bottle/loopback',
    ]);
  });

  it('differ in their hash when anything differs, and not otherwise', () => {
    const hash = specHash(agentContainer(AGENT, 2));
    assert.equal(specHash(agentContainer({ ...AGENT, env: {} }, 2)), hash);
    assert.equal(
      specHash(agentContainer({ ...AGENT, env: { B: '1', A: '2' } }, 2)),
      specHash(agentContainer({ ...AGENT, env: { A: '2', B: '1' } }, 2)),
    );
    assert.notEqual(specHash(agentContainer({ ...AGENT, image: 'j' }, 2)), hash);
  });
});

describe('names', () => {
  it('derive from the slug and from nothing else', () => {
    assert.equal(containerName(AGENT.slug, 'agent'), `bb-${AGENT.slug}-agent`);
    assert.equal(volumeName(AGENT.slug, 'sock'), `bb-${AGENT.slug}-sock`);
    assert.equal(oneShotName(AGENT.slug, 'extract-1'), `bb-${AGENT.slug}-once-extract-1`);
    for (const slug of ['', 'A', 'a/b', '../x', '-a', 'a-', 'a'.repeat(64)]) {
      assert.throws(() => containerName(slug, 'agent'), InvalidInputError);
      assert.throws(() => volumeName(slug, 'home'), InvalidInputError);
    }
    for (const name of ['', '/x', '.x', 'a b'])
      assert.throws(() => oneShotName(AGENT.slug, name), InvalidInputError);
  });
});
