import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LiveConfig } from '../../../../src/bundle/egress/live-config.js';
import { LiveConnections } from '../../../../src/bundle/egress/live-connections.js';
import { until } from '../../../support/bundle/until.js';

const ROUTE = { name: 'files', upstream: 'https://files.example', methods: ['GET'], paths: ['/'] };

describe('the allowlist and the routes of a bottle', () => {
  let directory: string;
  let logged: [level: string, message: string, fields: unknown][];
  let config: LiveConfig;
  let changes: number;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'live-config-'));
    [logged, changes] = [[], 0];
  });
  afterEach(() => {
    config.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const write = (name: string, text: string): void => {
    writeFileSync(join(directory, name), text);
  };
  const open = (): void => {
    config = new LiveConfig(directory, (level, message, fields) => logged.push([level, message, fields]));
  };
  const watch = (): void => {
    config.watch(() => (changes += 1));
  };
  const hosts = (): readonly string[] => config.current.allow.map((entry) => JSON.stringify(entry));
  const seen = (what: string, isSo: () => boolean): Promise<true> =>
    until(what, () => (isSo() ? true : undefined));

  it('are none without files, and nothing is said of that', () => {
    open();
    assert.deepEqual(config.current, { allow: [], routes: [] });
    assert.deepEqual(logged, []);
  });

  it('are what the files say, and nothing is said of the first time', () => {
    write('allowlist', 'pypi.org\nfiles.example\n');
    write('routes.json', JSON.stringify({ routes: [ROUTE] }));
    open();
    assert.equal(hosts().length, 2);
    assert.deepEqual(
      config.current.routes.map(({ name }) => name),
      ['files'],
    );
    assert.deepEqual(logged, []);
  });

  it('are read again when a file changes, each by itself, and whoever watches is told', async () => {
    write('allowlist', 'pypi.org\n');
    write('routes.json', JSON.stringify({ routes: [ROUTE] }));
    open();
    watch();
    write('allowlist', 'pypi.org\nmore.example\n');
    await seen('the new host', () => hosts().length === 2);
    assert.equal(config.current.routes.length, 1);
    await seen('being told', () => changes > 0);
    assert.deepEqual(logged.at(-1), [...['info', 'egress configuration read again', { file: 'allowlist' }]]);
  });

  it('are those of the moment they are asked for', () => {
    open();
    watch();
    write('allowlist', 'pypi.org\n');
    assert.equal(hosts().length, 1);
    assert.equal(changes, 1);
  });

  it('are gone with their file', async () => {
    write('allowlist', 'pypi.org\n');
    open();
    watch();
    rmSync(join(directory, 'allowlist'));
    await seen('no host', () => hosts().length === 0);
  });

  it('stay the last good ones where a file makes no sense, which is said with the reason', () => {
    write('allowlist', 'pypi.org\nnot a host\n');
    write('routes.json', '{');
    open();
    assert.deepEqual(config.current, { allow: [], routes: [] });
    const why = (at: number): string => JSON.stringify(logged[at]);
    assert.match(
      why(0),
      /"error","egress configuration is bad, the last good one stays".*"allowlist".*line 2: /,
    );
    assert.match(why(1), /"routes\.json","why":"[^"]+/);
  });

  it('stay the last good ones where a file is larger than any of the worker’s', async () => {
    write('allowlist', 'pypi.org\n');
    open();
    watch();
    write('allowlist', `# ${'x'.repeat(1024 * 1024)}\n`);
    await seen('the complaint', () => logged.length > 0);
    assert.match(JSON.stringify(logged[0]), /"allowlist","why":"too large"/);
    assert.equal(hosts().length, 1);
    write('allowlist', `${'#'.repeat(1024 * 1024 - 10)}\npypi.org\n`);
    await seen('one of the size that may be', () => logged.length > 1);
    assert.equal(logged[1]?.[0], 'info');
  });

  it('are not looked at any more after the end', async () => {
    open();
    watch();
    const witness = new LiveConfig(directory, () => undefined);
    try {
      witness.watch(() => undefined);
      config.stop();
      write('allowlist', 'pypi.org\n');
      await seen('what another sees', () => witness.current.allow.length === 1);
      assert.equal(changes, 0);
    } finally {
      witness.stop();
    }
  });
});

describe('connections that are open', () => {
  it('are cut when they are not allowed any more, and only then', () => {
    const live = new LiveConnections();
    const cut: string[] = [];
    const allowed = new Set(['a', 'b', 'c']);
    const open = (name: string): (() => void) =>
      live.add(
        () => allowed.has(name),
        () => cut.push(name),
      );
    open('a');
    open('b');
    const over = open('c');
    assert.equal(live.cutWhatIsNotAllowed(), 0);
    allowed.clear();
    allowed.add('a');
    over();
    assert.equal(live.cutWhatIsNotAllowed(), 1);
    assert.deepEqual(cut, ['b']);
  });
});
