import assert from 'node:assert/strict';
import { useScriptWorld } from '../../support/script/script-world.js';

/** `.ci/run` itself, over stand-ins for the scripts that it calls. */
describe('.ci/run', () => {
  const world = useScriptWorld('.ci/run');
  beforeEach(() => {
    world().stub('script/bootstrap');
    world().stub('script/lib/fresh-home');
    world().stub(
      'script/test',
      'cat "$BOT_BOTTLE_EARLIER"; echo "keeps: $BOT_BOTTLE_KEEP_ENGINE"; echo "9 passed, 0 failed"',
    );
  });

  const run = (args: readonly string[], engine: 'up' | 'down' = 'up') => {
    world().stub('docker', engine === 'up' ? '' : 'exit 1');
    const { status, stdout } = world().run('.ci/run', args);
    return { status, lines: stdout.trim().split('\n'), calls: world().calls() };
  };

  const FRESH = [
    'fresh-home bash -c script/demo && script/bench --only lifecycle_ratio --rounds 1',
    'test',
  ] as const;

  it('tries a new machine first, keeps the engine from step to step, and ends with the count', () => {
    const { status, lines, calls } = run([]);
    assert.equal(status, 0);
    assert.deepEqual(calls, FRESH);
    assert.ok(lines.includes('keeps: 1'));
    assert.match(lines.join('\n'), /^fresh +1 passed +0 failed +0 skipped/m);
    assert.equal(lines.at(-1), '9 passed, 0 failed');
  });

  it('goes on to the tests when a new machine lacks something, and has it counted', () => {
    world().stub('script/lib/fresh-home', 'exit 7');
    const { lines, calls } = run([]);
    assert.deepEqual(calls, FRESH);
    assert.match(lines.join('\n'), /^==> .*new machine … FAILED with exit status 7 /m);
    assert.match(lines.join('\n'), /^fresh +0 passed +1 failed +0 skipped/m);
  });

  it('fails as script/test does', () => {
    world().stub('script/test', 'exit 1');
    assert.equal(run([]).status, 1);
  });

  it('stops an engine that was not up before, and no other', () => {
    assert.deepEqual(run([], 'down').calls, [...FRESH, 'bootstrap --quiet --stop']);
  });

  it('gives the parts that are named to script/test, and runs nothing else', () => {
    assert.deepEqual(run(['lint', 'unit']).calls, ['test lint unit']);
  });
});

/** The same for script/test, with an npm whose checks all pass. */
describe('script/test', () => {
  const world = useScriptWorld('script/test');
  beforeEach(() => {
    world().stub('script/bootstrap');
    world().stub('npm', 'case " $* " in *" $KILLED "*) kill -KILL $PPID ;; esac');
    world().stub('docker', 'exit 1');
  });

  const run = (env: Readonly<Record<string, string>>) => {
    const { status, stdout } = world().run('script/test', ['types', 'deadcode'], { KILLED: 'none', ...env });
    return { status, last: stdout.trim().split('\n').at(-1) ?? '' };
  };

  it('counts a part that ends without a word as failed', () => {
    assert.deepEqual(run({ KILLED: 'types' }), { status: 1, last: '2 passed, 1 failed' });
  });

  it('counts what ran before it', () => {
    // The third is that nothing is left behind.
    assert.deepEqual(run({}), { status: 0, last: '3 passed, 0 failed' });
    world().write(
      'earlier',
      'fresh                  0 passed    1 failed    0 skipped  9.9 s\n' +
        'other                  1 passed    0 failed    0 skipped  9.9 s\n',
    );
    assert.deepEqual(run({ BOT_BOTTLE_EARLIER: `${world().root}/earlier` }), {
      status: 1,
      last: '4 passed, 1 failed',
    });
  });
});
