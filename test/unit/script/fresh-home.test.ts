import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT } from '../docs/tree.js';

const SCRIPT = path.join(ROOT, 'script/lib/fresh-home');

describe('script/lib/fresh-home', function () {
  this.timeout(30_000);
  let home: string;

  before(() => {
    home = mkdtempSync(path.join(tmpdir(), 'bb-home-'));
    for (const directory of ['.cache/bot-bottle/bin', '.config/go', '.config/other', '.bot-bottle'])
      mkdirSync(path.join(home, directory), { recursive: true });
    writeFileSync(path.join(home, '.npmrc'), 'fund=false\n');
    writeFileSync(path.join(home, '.config/go/env'), 'GOFLAGS=-buildvcs=false\n');
    writeFileSync(path.join(home, '.cache/bot-bottle/env'), 'GITLEAKS_BIN=/old/gitleaks\n');
  });

  after(() => {
    rmSync(home, { recursive: true, force: true });
  });

  // One run for all: what it prints is taken apart by its headings.
  let status: number | null;
  const parts = new Map<string, readonly string[]>();
  before(() => {
    const script = [
      'echo "# home"; cd; pwd; find . -type f | sort',
      'echo "# env"; env',
      'echo "# clone"; cd "$OLDPWD"; git rev-parse HEAD; git status --porcelain --ignored',
      'mkdir -p "$HOME/.cache/bot-bottle"; echo 12 >"$HOME/.cache/bot-bottle/dockerd.pid"; exit 7',
    ].join('\n');
    const result = spawnSync(SCRIPT, ['bash', '-c', script], {
      encoding: 'utf8',
      env: {
        ...Object.fromEntries(
          Object.entries(process.env).filter(([, value]) => value?.includes('/bot-bottle/') !== true),
        ),
        HOME: home,
        PATH: `${home}/.cache/bot-bottle/bin:${process.env['PATH'] ?? ''}`,
        BOT_BOTTLE_CACHE: `${home}/.cache/bot-bottle`,
        GITLEAKS_BIN: '/old/gitleaks',
        GITLEAKS: '/old/gitleaks',
        // A checkout may be somebody else's, and what git was told about that stands in the home that is not used here.
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'safe.directory',
        GIT_CONFIG_VALUE_0: '*',
      },
    });
    status = result.status;
    for (const part of result.stdout.split(/^# /m).slice(1)) {
      const [name = '', ...lines] = part.trimEnd().split('\n');
      parts.set(name, lines);
    }
    assert.equal(parts.size, 3, result.stderr);
  });
  const printed = (name: string): readonly string[] => parts.get(name) ?? [];

  it('has a home with the package clients’ settings and nothing else, and removes it', () => {
    const [there = '', ...files] = printed('home');
    assert.deepEqual(files, ['./.config/go/env', './.npmrc']);
    assert.notEqual(there, home);
    assert.equal(existsSync(path.dirname(there)), false);
  });

  it('leaves no variable that leads to what the old home has', () => {
    const lines = printed('env');
    assert.ok(lines.length > 5);
    const leading = lines.filter((line) => /\/old\/|bot-bottle\/bin|^BOT_BOTTLE_(?!KEEP_ENGINE=)/.test(line));
    assert.deepEqual(leading, []);
  });

  it('passes npm’s cache on', () => {
    assert.ok(printed('env').some((line) => line.startsWith('npm_config_cache=/')));
  });

  it('runs in a clean clone', () => {
    const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' });
    assert.deepEqual(printed('clone'), [stdout.trim()]);
  });

  it('ends as the command does', () => {
    assert.equal(status, 7);
  });

  it('hands the record of an engine that was left running to the home that stays', () => {
    assert.ok(existsSync(path.join(home, '.cache/bot-bottle/dockerd.pid')));
  });
});
