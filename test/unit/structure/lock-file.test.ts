import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { minVersion, satisfies } from 'semver';
import {
  entryOf,
  missingPackages,
  platformOf,
  type LockPackages,
} from '../../../script/lib/optional-packages.js';
import { readTree, ROOT } from '../docs/tree.js';

const packagesOf = (file: string): LockPackages =>
  (JSON.parse(readFileSync(path.join(ROOT, file), 'utf8')) as { packages: LockPackages }).packages;

type EnginePackages = Readonly<
  Record<string, { readonly dev?: boolean; readonly engines?: { readonly node?: string } }>
>;

const LOCK_FILES = readTree().files.filter((file) => path.basename(file) === 'package-lock.json');

describe('a lock file', () => {
  const packages = packagesOf('package-lock.json');

  for (const file of LOCK_FILES)
    it(`${file} has every system’s optional packages (npm run lock:platforms adds them)`, () => {
      assert.deepEqual(missingPackages(packagesOf(file)), []);
    });

  it('without one of them is told, with the place where it belongs', () => {
    const { 'node_modules/@esbuild/darwin-arm64': gone, ...rest } = packages;
    const version = gone?.version ?? assert.fail('nothing was taken out');
    assert.deepEqual(missingPackages(rest), [
      {
        path: 'node_modules/@esbuild/darwin-arm64',
        name: '@esbuild/darwin-arm64',
        wanted: version,
        by: 'node_modules/esbuild',
      },
    ]);
  });

  it('may have a package nearer to the one that wants it, or another version of it farther away', () => {
    const wants = { version: '1.0.0', optionalDependencies: { native: '2.0.0' } };
    const nested = 'node_modules/a/node_modules/b';
    const near = { [nested]: wants, 'node_modules/a/node_modules/native': { version: '2.0.0' } };
    assert.deepEqual(missingPackages(near), []);
    const other = { [nested]: wants, 'node_modules/native': { version: '1.9.9' } };
    assert.deepEqual(
      missingPackages(other).map((one) => one.path),
      [`${nested}/node_modules/native`],
    );
  });

  it('gets entries as npm would write them, but for what only the package itself says', () => {
    const native = Object.entries(packages).filter(([at]) => platformOf(at) !== undefined);
    assert.ok(native.length > 50);
    for (const [at, { version = '', os, cpu, libc }] of native) {
      const entry = entryOf({ path: at, name: at, wanted: version, by: '' }, packages);
      assert.deepEqual([entry.os, entry.cpu, entry.libc], [os, cpu, libc], at);
    }
  });

  it('gets no entry that would be guessed', () => {
    for (const [name, wanted] of [
      ['native', '1.0.0'],
      ['native-linux-x64', '^1.0.0'],
    ] as const)
      assert.throws(() => entryOf({ path: '', name, wanted, by: 'node_modules/a' }, packages), /by hand/);
  });
});

describe('the oldest Node that package.json allows', () => {
  const { '': own, ...packages } = packagesOf('package-lock.json') as EnginePackages;
  const oldest = minVersion(own?.engines?.node ?? '')?.version ?? assert.fail('no engines.node');

  /** The packages that want another Node. */
  const tooNew = (of: EnginePackages): string[] =>
    Object.entries(of)
      .filter(([, { dev, engines }]) => dev !== true && !satisfies(oldest, engines?.node ?? '*'))
      .map(([at, { engines }]) => `${at} wants ${engines?.node ?? ''}`);

  it('is enough for every package that the product runs on', () => {
    assert.ok(Object.values(packages).filter(({ dev, engines }) => dev !== true && engines).length > 50);
    assert.deepEqual(tooNew(packages), []);
  });

  it('is not enough for one that wants a newer one', () => {
    const wants = { engines: { node: '>=22' } };
    assert.deepEqual(tooNew({ 'node_modules/a': wants, 'node_modules/b': { ...wants, dev: true } }), [
      'node_modules/a wants >=22',
    ]);
  });
});

describe('npm ci', function () {
  this.timeout(60_000);
  let directory: string;

  before(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'bb-npm-ci-'));
    for (const file of ['package.json', 'package-lock.json', '.npmrc'])
      cpSync(path.join(ROOT, file), path.join(directory, file));
  });

  after(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  for (const [os, cpu] of [
    ['linux', 'x64'],
    ['linux', 'arm64'],
    ['darwin', 'x64'],
    ['darwin', 'arm64'],
  ] as const)
    it(`takes the lock file on ${os} ${cpu}, with the native packages for it alone`, () => {
      const { status, stdout, stderr } = spawnSync(
        'npm',
        ['ci', '--dry-run', '--ignore-scripts', '--loglevel=error', `--os=${os}`, `--cpu=${cpu}`],
        { cwd: directory, encoding: 'utf8' },
      );
      assert.equal(status, 0, stderr);
      const native = [...stdout.matchAll(/^add (\S+) /gm)].flatMap(([, name = '']) => platformOf(name) ?? []);
      assert.ok(native.length >= 4, stdout);
      for (const platform of native) assert.deepEqual([platform.os, platform.cpu], [os, cpu]);
    });
});
