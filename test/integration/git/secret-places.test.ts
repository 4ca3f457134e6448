import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { GitleaksScanner } from '../../../src/adapters/gitleaks/gitleaks-scanner.js';
import type { GitPublishVerdict } from '../../../src/domain/workspace/git-repository.js';
import { SecretGuard } from '../../../src/domain/secret/secret-guard.js';
import { gitleaksBinary } from '../../support/gitleaks/binary.js';
import { plantedKey } from '../../support/gitleaks/planted-key.js';
import { BRANCH, GitFixture, git, reasonOf } from './git-fixture.js';

/** One for each pattern that gitleaks 8.30's own lists of files have, the whole program's and those of its rules. */
const PASSED_OVER = [
  'my-gitleaks.toml',
  ...['bmp', 'gif', 'jpg', 'png', 'SVG', 'tiff', 'eot', 'ttf', 'woff2'].map((ending) => `art/a.${ending}`),
  ...['docx', 'xls', 'pdf', 'bin', 'socket', 'vsidx', 'v2', 'suo', 'wsuo', 'xdll', 'pdb', 'EXE', 'gltf'].map(
    (ending) => `out/a.${ending}`,
  ),
  ...['go.mod', 'go.sum', 'go.work', 'go.work.sum', 'vendor/modules.txt', 'vendor/github.com/a/b/c.go'],
  ...['vendor/k8s.io/a.go', 'vendor/bundle/a.rb', 'vendor/ruby/a.rb', 'gradlew', 'gradlew.bat', 'mvnw.cmd'],
  ...['gradle.lockfile', '.mvn/wrapper/MavenWrapperDownloader.java', 'node_modules/a/index.js'],
  ...['deno.lock', 'npm-shrinkwrap.json', 'package-lock.json', 'pnpm-lock.yaml', 'yarn.lock'],
  ...['bower_components/a/a.js', 'web/jquery-3.1.min.js', 'web/swagger-ui.js.map', 'javascript.json'],
  ...['Pipfile.lock', 'poetry.lock', 'venv/lib/a.py', 'lib/python3.11/a.py', 'a-1.0.dist-info/METADATA'],
  ...['a.gem', 'gradle/verification-metadata.xml', 'Database.refactorlog', '@octokit/auth-token/README.md'],
];

describe('secrets in files that a scanner passes over', function () {
  this.timeout(120_000);
  let guard: SecretGuard;
  let fixture: GitFixture;
  before(async () => {
    guard = new SecretGuard(await GitleaksScanner.start({ program: gitleaksBinary() }), () => []);
  });
  beforeEach(() => {
    fixture = new GitFixture();
  });
  afterEach(() => {
    fixture.remove();
  });

  const publish = (): Promise<GitPublishVerdict> =>
    fixture.publish({}, fixture.repository({ secrets: guard }));
  const commitAll = (files: Readonly<Record<string, string>>): string => {
    for (const [path, content] of Object.entries(files)) fixture.write(fixture.work, path, content);
    git(fixture.work, 'add', '-f', '.');
    git(fixture.work, 'commit', '-q', '-m', 'change');
    return git(fixture.work, 'rev-parse', 'HEAD');
  };

  it('are found in every one of them, once each', async () => {
    const files = PASSED_OVER.map((path) => [path, `one\nt = ${plantedKey()}\n`] as const);
    commitAll(Object.fromEntries(files));
    const verdict = await publish();
    assert.ok(verdict.kind === 'refused', 'it was published');
    assert.deepEqual(verdict.secretScan?.rules, ['github-pat']);
    assert.equal(verdict.secretScan.findings, PASSED_OVER.length);
    assert.equal(fixture.forgeTip(), '');
  });

  for (const path of ['a.bin', 'tool.exe', 'vendor/github.com/a/b.go', 'package-lock.json'])
    it(`are named with line and commit in ${path}, also when a later commit takes them away`, async () => {
      const commit = commitAll({ [path]: `one\nt = ${plantedKey()}\n` });
      git(fixture.work, 'rm', '-q', path);
      git(fixture.work, 'commit', '-q', '-m', 'never mind');
      const reason = reasonOf(await publish());
      assert.ok(reason.includes(`${path} line 2 in commit ${commit.slice(0, 12)} (rule github-pat)`), reason);
    });

  it('are found in a change of such a file, in a merge’s own content and in the target of a link', async () => {
    commitAll({ 'a.bin': 'one\n' });
    const changed = commitAll({ 'a.bin': `one\n${plantedKey()}\n` });
    assert.ok(reasonOf(await publish()).includes(`a.bin line 2 in commit ${changed.slice(0, 12)}`));

    fixture.reset();
    git(fixture.work, 'checkout', '-q', '-b', 'side');
    commitAll({ 's.bin': 'ours\n' });
    git(fixture.work, 'checkout', '-q', BRANCH);
    commitAll({ 's.bin': 'theirs\n' });
    git(fixture.work, 'merge', '-q', '--no-commit', '-s', 'ours', 'side');
    const merged = commitAll({ 's.bin': `both\n${plantedKey()}\n` });
    assert.ok(reasonOf(await publish()).includes(`s.bin line 2 in commit ${merged.slice(0, 12)}`));

    fixture.reset();
    symlinkSync(plantedKey(), join(fixture.work, 'link.png'));
    commitAll({});
    assert.match(reasonOf(await publish()), /link\.png line 1 .*github-pat/);
  });

  it('do not count where they are on the forge already, though the file is moved and changed', async () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${String(index)}\n`).join('');
    fixture.pushBase('fixtures/a.bin', `${lines}t = ${plantedKey()}\n`);
    fixture.mergeBase();
    git(fixture.work, 'mv', 'fixtures/a.bin', 'b.bin');
    commitAll({});
    const content = git(fixture.work, 'show', 'HEAD:b.bin');
    commitAll({ 'b.bin': `${content}\nmore\n` });
    assert.equal((await publish()).kind, 'pushed');
    git(fixture.work, 'mv', 'b.bin', 'c.bin');
    commitAll({ 'c.bin': `${content}\nand more\n` });
    assert.equal((await publish()).kind, 'pushed');
  });

  describe('as the rule of guesses has them', () => {
    // As mixed as hexadecimal can be, and without a word: of plain random digits one in some dozens is too regular for the rule.
    const guess = (): string => {
      const mixed = (characters: string): string[] =>
        characters.split('').sort(() => randomBytes(1).readInt8());
      const letters = mixed('abcdef'.repeat(4));
      return `api_key = "${mixed('0123456789'.repeat(3))
        .slice(0, 24)
        .map((digit, index) => digit + (letters[index] ?? ''))
        .join('')}"\n`;
    };

    it('are found in images and programs', async () => {
      commitAll({ 'a.bin': guess(), 'b.png': guess() });
      const verdict = await publish();
      assert.ok(verdict.kind === 'refused');
      assert.deepEqual([verdict.secretScan?.findings, verdict.secretScan?.rules], [2, ['generic-api-key']]);
    });

    it('are no reason against the hashes of lock files', async () => {
      const hash = (): string => randomBytes(32).toString('base64');
      commitAll({
        'go.sum': `cloud.example/go/auth v0.13.0 h1:${hash()}\n`,
        'package-lock.json': `{ "node_modules/js-tokens": { "token": "${hash()}" } }\n`,
        'app/node_modules/a/index.js': guess(),
      });
      assert.equal((await publish()).kind, 'pushed');
    });
  });
});
