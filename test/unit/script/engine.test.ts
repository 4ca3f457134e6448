import assert from 'node:assert/strict';
import { useScriptWorld, type ScriptWorld } from '../../support/script/script-world.js';

/** As root on Debian, whoever runs the test. */
const AS_ROOT = 'is_root() { true; }; is_debian() { true; };';

describe('set-up of the engine', function () {
  const world = useScriptWorld();

  /** Installs stand-ins, each with the programs that it has on that Debian. */
  const debian = (packages: Readonly<Record<string, readonly string[]>>): void => {
    const cases = Object.entries(packages).map(
      ([name, programs]) =>
        `*" ${name} "*) for program in ${programs.join(' ')}; do cp "$0" "\${0%/*}/$program"; done ;;`,
    );
    world().stub('apt-get', cases.map((one) => `case " $* " in ${one} esac`).join('\n'));
  };
  const bring = (): ReturnType<ScriptWorld['shell']> =>
    world().shell(`${AS_ROOT} start_dockerd() { echo started; }; docker_bring`);
  const installs = (): readonly string[] =>
    world()
      .calls()
      .flatMap((call) => /install -y --no-install-recommends (.*)$/.exec(call)?.[1] ?? []);

  it('installs the client by itself where it is a package of its own, as on Debian 13', () => {
    debian({ 'docker.io': ['dockerd'], 'docker-cli': ['docker'] });
    bring();
    assert.deepEqual(installs(), ['docker.io iptables', 'docker-cli']);
  });

  it('installs no other client where the engine brings it', () => {
    debian({ 'docker.io': ['dockerd', 'docker'] });
    bring();
    assert.deepEqual(installs(), ['docker.io iptables']);
  });

  it('installs the client to an engine that is there without one', () => {
    world().stub('dockerd');
    debian({ 'docker-cli': ['docker'] });
    bring();
    assert.deepEqual(installs(), ['docker-cli']);
  });

  it('takes the Java that the Debian has', () => {
    world().stub('apt-get');
    world().shell(`${AS_ROOT} source script/lib/test-server.sh; test_server_bring`);
    assert.deepEqual(installs(), ['default-jre-headless maven']);
  });
});
