import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import path from 'node:path';
import { hasImage, stubDocker } from '../../support/script/docker-stub.js';
import { useScriptWorld, type Ended } from '../../support/script/script-world.js';

/** What every optional image stands on, or is one of. */
const OPTIONAL = ['agent-claude', 'agent-codex', 'agent-pi', 'agent-opencode', 'orchestrator'];

describe('script/images', function () {
  const world = useScriptWorld('script/images', 'images');
  beforeEach(() => {
    stubDocker(world(), version('DEBIAN_IMAGE'));
    world().write(node(), '');
    chmodSync(path.join(world().root, node()), 0o755);
  });

  const version = (name: string): string =>
    new RegExp(`^${name}='?([^'\n]+)`, 'm').exec(world().read('script/lib/versions.sh'))?.[1] ?? '';
  const node = (): string => `cache/node-${version('IMAGE_NODE_VERSION')}/bin/node`;
  const builds = (): readonly string[] =>
    world()
      .calls()
      .filter((call) => call.includes(' build '));
  const succeeds = ({ status, stderr }: Ended): void => {
    assert.equal(status, 0, stderr);
  };

  it('builds with the engine’s own builder, whichever one is selected: another one has none of our images', () => {
    world().write('engine/buildx', '');
    succeeds(world().run('script/images', ['base'], { BUILDX_BUILDER: 'in-a-container' }));
    assert.match(builds().join('\n'), /^docker build /);
    assert.equal(world().read('build-env'), 'DOCKER_BUILDKIT=1 BUILDX_BUILDER=\n');
    assert.ok(hasImage(world(), 'bot-bottle/base:bookworm'));
  });

  it('builds with the classic builder where there is no other', () => {
    succeeds(world().run('script/images', ['base']));
    assert.equal(world().read('build-env'), 'DOCKER_BUILDKIT=0 BUILDX_BUILDER=\n');
  });

  it('takes nothing of an earlier build for the base, for it is built to be renewed', () => {
    succeeds(world().run('script/images', ['agent']));
    const uncached = builds().map((call) => [
      /-t bot-bottle\/([a-z-]+):/.exec(call)?.[1],
      call.includes('--no-cache'),
    ]);
    assert.deepEqual(uncached, [
      ['base', true],
      ['agent-base', false],
      ['agent-scripted', false],
    ]);
  });

  it('reads the whole of Node once, and again when it is another one, of which the base is made anew', () => {
    world().stub('sha256sum', 'exec /usr/bin/sha256sum "$@"');
    const reads = (): number =>
      world()
        .calls()
        .filter((call) => /^sha256sum \S*bin\/node$/.test(call)).length;
    succeeds(world().run('script/images', ['base']));
    succeeds(world().run('script/images', ['base']));
    assert.deepEqual([reads(), builds().length], [1, 1]);
    world().write(node(), 'another');
    succeeds(world().run('script/images', ['base']));
    assert.deepEqual([reads(), builds().length], [2, 2]);
  });

  it('makes what a run needs with --quiet, too: that names no image', () => {
    const library = 'script/lib/images.sh';
    world().write(library, `${world().read(library)}\nimage_bundle() { echo "made bundle"; }\n`);
    assert.doesNotMatch(world().run('script/images', ['--quiet', 'base']).stdout, /made bundle/);
    assert.match(world().run('script/images', ['--quiet']).stdout, /^made bundle$/m);
    assert.ok(hasImage(world(), 'bot-bottle/agent-scripted:dev'));
  });

  describe('on a processor for which nobody has opencode', () => {
    beforeEach(() => {
      world().stub('uname', 'case $1 in -m) echo aarch64 ;; *) echo Linux ;; esac');
      const library = 'script/lib/agent-images.sh';
      world().write(
        library,
        `${world().read(library)}
native_cli() { [[ -n $4 ]] || die "no sum is known"; echo "made $1"; }
image_agent_pi() { echo "made pi"; }
image_bundle() { echo "made bundle"; }
image_orchestrator() { echo "made orchestrator"; }
`,
      );
    });

    for (const group of ['all', 'agents'])
      it(`makes the others of \`${group}\`, says so, and writes which there are`, () => {
        const ended = world().run('script/images', [group]);
        succeeds(ended);
        for (const name of ['claude', 'codex', 'pi'])
          assert.match(ended.stdout, new RegExp(`^made ${name}$`, 'm'));
        assert.match(ended.stderr, /agent-opencode.*this processor/);
        assert.match(world().read('cache/images.json'), /bot-bottle\/agent-base:dev/);
      });

    it('fails for opencode by itself', () => {
      assert.equal(world().run('script/images', ['agent-opencode']).status, 1);
    });
  });
});

describe('script/bootstrap --only images', () => {
  const world = useScriptWorld('script/bootstrap');

  it('brings what is there of the CLIs and the service up to date, too, and makes no other', () => {
    stubDocker(world(), 'bot-bottle/agent-codex:dev', 'bot-bottle/orchestrator:dev');
    world().stub('script/images');
    assert.equal(world().run('script/bootstrap', ['--only', 'images']).status, 0);
    assert.deepEqual(world().calls(), ['images', 'images agent-codex', 'images orchestrator']);
  });

  it('says of one that can’t be had that it is the old one, and goes on', () => {
    stubDocker(world(), ...OPTIONAL.map((name) => `bot-bottle/${name}:dev`));
    world().stub('script/images', '[[ ${1-} != agent-opencode ]]');
    const { status, stderr } = world().run('script/bootstrap', ['--only', 'images']);
    assert.equal(status, 0);
    assert.match(stderr, /agent-opencode .*earlier/);
    assert.deepEqual(world().calls(), ['images', ...OPTIONAL.map((name) => `images ${name}`)]);
  });

  it('fails without what every run needs', () => {
    stubDocker(world(), ...OPTIONAL.map((name) => `bot-bottle/${name}:dev`));
    world().stub('script/images', 'exit 1');
    assert.equal(world().run('script/bootstrap', ['--only', 'images']).status, 1);
    assert.deepEqual(world().calls(), ['images']);
  });
});
