import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT } from '../docs/tree.js';

/** Writes what it was called with to `calls`. */
const STUB = 'echo "${0##*/} $*" >>"$CALLS"';

/** `.ci/run` itself, over stand-ins for the scripts that it calls. */
describe('.ci/run', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), 'bb-ci-run-'));
    mkdirSync(path.join(root, 'script/lib'), { recursive: true });
    for (const file of ['.ci/run', 'script/lib/common.sh', 'script/lib/docker.sh'])
      cpSync(path.join(ROOT, file), path.join(root, file));
    stub('script/bootstrap', '');
    stub(
      'script/test',
      'cat "$BOT_BOTTLE_EARLIER"; echo "keeps: $BOT_BOTTLE_KEEP_ENGINE"; echo "9 passed, 0 failed"',
    );
    stub('script/lib/fresh-home', '');
  });

  afterEach(() => {
    rmSync(root, { recursive: true, force: true });
  });

  const stub = (file: string, rest: string): void => {
    writeFileSync(path.join(root, file), `#!/usr/bin/env bash\n${STUB}\n${rest}\n`);
    chmodSync(path.join(root, file), 0o755);
  };

  const run = (
    args: readonly string[],
    engine: 'up' | 'down' = 'up',
  ): {
    readonly status: number | null;
    readonly lines: readonly string[];
    readonly calls: readonly string[];
  } => {
    const calls = path.join(root, 'calls');
    stub('docker', engine === 'up' ? '' : 'exit 1');
    const { status, stdout } = spawnSync(path.join(root, '.ci/run'), args, {
      encoding: 'utf8',
      env: { HOME: root, PATH: `${root}:${process.env['PATH'] ?? ''}`, CALLS: calls },
    });
    const called = readFileSync(calls, 'utf8').trim().split('\n');
    return {
      status,
      lines: stdout.trim().split('\n'),
      calls: called.map((call) => call.trimEnd()).filter((call) => !call.startsWith('docker')),
    };
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
    stub('script/lib/fresh-home', 'exit 7');
    const { lines, calls } = run([]);
    assert.deepEqual(calls, FRESH);
    assert.match(lines.join('\n'), /^==> .*new machine … FAILED with exit status 7 /m);
    assert.match(lines.join('\n'), /^fresh +0 passed +1 failed +0 skipped/m);
  });

  it('fails as script/test does', () => {
    stub('script/test', 'exit 1');
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
  let root: string;

  before(() => {
    root = mkdtempSync(path.join(tmpdir(), 'bb-test-'));
    mkdirSync(path.join(root, 'script/lib'), { recursive: true });
    for (const file of ['script/test', 'script/lib/common.sh', 'script/lib/docker.sh'])
      cpSync(path.join(ROOT, file), path.join(root, file));
    for (const [file, body] of [
      ['script/bootstrap', 'exit 0'],
      ['npm', 'case " $* " in *" $KILLED "*) kill -KILL $PPID ;; esac'],
      ['docker', 'exit 1'],
    ] as const) {
      writeFileSync(path.join(root, file), `#!/bin/sh\n${body}\n`);
      chmodSync(path.join(root, file), 0o755);
    }
  });

  after(() => {
    rmSync(root, { recursive: true, force: true });
  });

  const run = (
    env: Readonly<Record<string, string>>,
  ): { readonly status: number | null; readonly last: string } => {
    const { status, stdout } = spawnSync(path.join(root, 'script/test'), ['types', 'deadcode'], {
      encoding: 'utf8',
      env: { HOME: root, PATH: `${root}:${process.env['PATH'] ?? ''}`, KILLED: 'none', ...env },
    });
    return { status, last: stdout.trim().split('\n').at(-1) ?? '' };
  };

  it('counts a part that ends without a word as failed', () => {
    assert.deepEqual(run({ KILLED: 'types' }), { status: 1, last: '2 passed, 1 failed' });
  });

  it('counts what ran before it', () => {
    // The third is that nothing is left behind.
    assert.deepEqual(run({}), { status: 0, last: '3 passed, 0 failed' });
    const earlier = path.join(root, 'earlier');
    writeFileSync(
      earlier,
      'fresh                  0 passed    1 failed    0 skipped  9.9 s\n' +
        'other                  1 passed    0 failed    0 skipped  9.9 s\n',
    );
    assert.deepEqual(run({ BOT_BOTTLE_EARLIER: earlier }), { status: 1, last: '4 passed, 1 failed' });
  });
});
