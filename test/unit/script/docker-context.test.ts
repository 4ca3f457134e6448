import assert from 'node:assert/strict';
import { stubDocker } from '../../support/script/docker-stub.js';
import { useScriptWorld } from '../../support/script/script-world.js';

/** The product asks DOCKER_HOST or the default socket, so what a script starts must find there the engine that the script has. */
describe('the engine of a docker context', () => {
  const world = useScriptWorld();

  const host = (env: Readonly<Record<string, string>> = {}): string => {
    const { status, stdout, stderr } = world().shell('bash -c \'echo "${DOCKER_HOST-unset}"\'', env);
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
    return stdout.trim();
  };
  const context = (address: string): void => {
    stubDocker(world());
    world().write('engine/context', address);
  };

  it('is told to all that a script starts', () => {
    context('unix:///home/you/.docker/run/docker.sock\n');
    assert.equal(host(), 'unix:///home/you/.docker/run/docker.sock');
  });

  it('is not told where it is the default one', () => {
    context('unix:///var/run/docker.sock\n');
    assert.equal(host(), 'unset');
  });

  it('gives way to DOCKER_HOST, and is not asked for', () => {
    context('unix:///home/you/.docker/run/docker.sock\n');
    assert.equal(host({ DOCKER_HOST: 'tcp://127.0.0.1:2375' }), 'tcp://127.0.0.1:2375');
    assert.equal(world().has('calls'), false);
  });

  it('is left to docker where its address is not all it takes', () => {
    for (const address of ['tcp://engine.example:2376\n', 'ssh://engine.example\n', '\n']) {
      context(address);
      assert.equal(host(), 'unset', address);
    }
  });

  it('is nobody’s where there is no docker, or one that knows no contexts', () => {
    assert.equal(host(), 'unset');
    world().stub('docker', 'echo "unknown command" >&2; exit 1');
    assert.equal(host(), 'unset');
  });

  it('costs a script one call', () => {
    context('unix:///var/run/docker.sock\n');
    host();
    assert.equal(world().read('calls').trim().split('\n').length, 1);
  });
});
