import assert from 'node:assert/strict';
import { useScriptWorld, type ScriptWorld } from '../../support/script/script-world.js';

/** What a user has in his `.npmrc` or environment is for his own projects. */
describe('set-up with npm settings of the user', () => {
  const world = useScriptWorld();
  beforeEach(() => {
    world().stub('node', 'echo 22.1.0');
  });

  const npmCall = (verb: string): string =>
    world()
      .calls()
      .find((call) => call.startsWith(`npm ${verb} `)) ?? '';

  it('installs what only the tests need, whatever NODE_ENV and `omit` say', () => {
    world().stub('npm');
    world().shell('source script/lib/node.sh; sqlite_bring() { :; }; node_bring');
    assert.match(npmCall('ci'), / --include=dev(?: |$)/);
  });

  it('leaves it out of the service’s image', () => {
    world().stub('npm');
    world().shell('STAGE=$BUILD/stage; mkdir "$STAGE"; touch package.json; production_modules');
    assert.match(npmCall('ci'), / --omit=dev(?: |$)/);
    assert.doesNotMatch(npmCall('ci'), /--include/);
  });

  it('compiles the one module that has to be, also with `ignore-scripts`', () => {
    world().stub('npm');
    world().shell('source script/lib/node.sh; sqlite_bring');
    assert.match(npmCall('rebuild'), / --ignore-scripts=false /);
  });

  describe('takes for the service’s modules', () => {
    beforeEach(() => {
      world().write('package.json', '{}');
      world().write('cache/build/stage/none', '');
      world().write('includes/include/node/node.h', '');
      world().write('npm/node_modules/node-gyp/bin/node-gyp.js', 'of the running npm');
      world().stub(
        'npm',
        'case $1 in exec) npm_execpath=$ROOT/npm/bin/npm-cli.js bash -c "${!#}" ;; root) echo /somewhere/else ;; esac',
      );
    });
    const modules = (): ReturnType<ScriptWorld['shell']> =>
      world().shell('NODE_HOME=$ROOT/includes STAGE=$BUILD/stage; production_modules');

    it('the npm that runs, wherever `prefix` points', () => {
      const { status, stderr } = modules();
      assert.equal(status, 0, stderr);
      assert.equal(
        world().read('cache/build/stage/tools/npm/node_modules/node-gyp/bin/node-gyp.js'),
        'of the running npm',
      );
    });

    it('no npm without modules of its own, as Debian’s is, and says which one will do', () => {
      world().shell('rm -r npm/node_modules');
      const { status, stderr } = modules();
      assert.equal(status, 1);
      assert.match(stderr, /error: .*npm.*\n.*nodejs\.org/);
    });
  });
});
