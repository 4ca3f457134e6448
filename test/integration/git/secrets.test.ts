import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GitleaksScanner } from '../../../src/adapters/gitleaks/gitleaks-scanner.js';
import type { GitPublishRequest, GitPublishVerdict } from '../../../src/domain/workspace/git-repository.js';
import { SecretGuard } from '../../../src/domain/secret/secret-guard.js';
import type { KnownSecret } from '../../../src/domain/secret/secret-search.js';
import { gitleaksBinary } from '../../support/gitleaks/binary.js';
import { fakeGitleaks } from '../../support/gitleaks/fake-gitleaks.js';
import { plantedKey } from '../../support/gitleaks/planted-key.js';
import { BRANCH, GitFixture, git, reasonOf } from './git-fixture.js';

const TOKEN: KnownSecret = { name: 'forge-token', value: '0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c' };

describe('secrets in commits', function () {
  this.timeout(120_000);
  let scanner: GitleaksScanner;
  let fixture: GitFixture;
  let key: string;
  before(async () => {
    scanner = await GitleaksScanner.start({ program: gitleaksBinary() });
  });
  beforeEach(() => {
    fixture = new GitFixture();
    key = plantedKey();
  });
  afterEach(() => {
    assert.deepEqual(fixture.quarantines(), [], 'a quarantine was left behind');
    fixture.remove();
  });

  const publish = (
    request: Partial<GitPublishRequest> = {},
    guard = new SecretGuard(scanner, () => [TOKEN]),
  ): Promise<GitPublishVerdict> => fixture.publish(request, fixture.repository({ secrets: guard }));
  /** Refused, nothing pushed, the secret itself not told; answers the reason. */
  const refused = async (request: Partial<GitPublishRequest> = {}): Promise<string> => {
    const verdict = await publish(request);
    const reason = reasonOf(verdict);
    assert.equal(fixture.forgeTip(), '', 'something was pushed');
    assert.ok(!reason.includes(key.slice(4)) && !reason.includes(TOKEN.value), reason);
    assert.equal(verdict.kind === 'refused' && verdict.secretScan?.outcome, 'found', reason);
    return reason;
  };
  const rewriteTip = (file: string): void => {
    git(
      fixture.work,
      'update-ref',
      `refs/heads/${BRANCH}`,
      git(fixture.work, 'hash-object', '-t', 'commit', '-w', file),
    );
  };

  it('publishes clean commits and says what looked at them', async () => {
    const head = fixture.commit(fixture.work, 'a.txt', 'a');
    assert.deepEqual(await publish(), {
      kind: 'pushed',
      head,
      secretScan: { scanner: scanner.name, outcome: 'clean', findings: 0, rules: [] },
    });
  });

  it('names rule, file, line and commit of a planted key, and how to take it out', async () => {
    const commit = fixture.commit(fixture.work, 'src/config.txt', `one\ntoken = ${key}\n`);
    const verdict = await publish();
    const reason = await refused();
    assert.ok(
      reason.includes(`src/config.txt line 2 in commit ${commit.slice(0, 12)} (rule github-pat)`),
      reason,
    );
    assert.ok(reason.includes(`git reset --soft ${fixture.base}`), reason);
    assert.deepEqual(verdict.kind === 'refused' && verdict.secretScan, {
      scanner: scanner.name,
      outcome: 'found',
      findings: 1,
      rules: ['github-pat'],
    });
  });

  it('is not satisfied by a removal in a later commit, but by following the advice', async () => {
    fixture.commit(fixture.work, 'a.txt', `token = ${key}\n`);
    git(fixture.work, 'rm', '-q', 'a.txt');
    git(fixture.work, 'commit', '-q', '-m', 'never mind');
    fixture.commit(fixture.work, 'b.txt', 'b');
    const [command = ''] = /git reset --soft [0-9a-f]{40}/.exec(await refused()) ?? [];
    git(fixture.work, ...command.split(' ').slice(1));
    git(fixture.work, 'commit', '-q', '-m', 'once more');
    assert.equal((await publish()).kind, 'pushed');
  });

  const places: readonly (readonly [string, (dir: string) => void])[] = [
    ['behind gitleaks:allow', (dir) => fixture.commit(dir, 'a.txt', `t = ${key} # gitleaks:allow\n`)],
    ['in what looks like a binary', (dir) => fixture.commit(dir, 'a.bin.txt', `\0\x01\n\0${key}\0\n`)],
    ['in Base64', (dir) => fixture.commit(dir, 'a.txt', `${Buffer.from(`x ${key}`).toString('base64')}\n`)],
    [
      'in a file that .gitattributes calls binary',
      (dir) => {
        fixture.commit(dir, '.gitattributes', '* -diff -text binary diff=none filter=none\n');
        fixture.commit(dir, 'a.txt', `t = ${key}\n`);
      },
    ],
    [
      'in spite of a .gitleaks.toml that allows everything',
      (dir) => {
        fixture.commit(dir, '.gitleaks.toml', "[allowlist]\npaths = ['''.*''']\nregexes = ['''.*''']\n");
        fixture.commit(dir, 'a.txt', `t = ${key}\n`);
      },
    ],
    [
      'in spite of a .gitleaksignore',
      (dir) => {
        const commit = fixture.commit(dir, 'a.txt', `t = ${key}\n`);
        fixture.commit(
          dir,
          '.gitleaksignore',
          `${commit}:a.txt:github-pat:1\na.txt:github-pat:1\n${commit.slice(0, 7)}:a.txt:github-pat:1\n`,
        );
      },
    ],
    [
      'in a merge commit alone',
      () => {
        fixture.commitInMerge('m.txt', `t = ${key}\n`);
      },
    ],
    ['in a commit message', (dir) => git(dir, 'commit', '-q', '--allow-empty', '-m', `use ${key}`)],
    ['in a file name', (dir) => fixture.commit(dir, `notes/${key}.txt`, 'x')],
    [
      "in a symbolic link's target",
      (dir) => {
        symlinkSync(key, join(dir, 'link'));
        git(dir, 'add', 'link');
        git(dir, 'commit', '-q', '-m', 'link');
      },
    ],
    [
      'in a file with a name made to confuse',
      (dir) => fixture.commit(dir, 'x b/x b/x --- é', `t = ${key}\n`),
    ],
    [
      'beside a commit with the latest date there is',
      (dir) => {
        fixture.commit(dir, 'a.txt', `t = ${key}\n`);
        const latest = join(fixture.root, 'commit');
        const who = 'agent <agent@example.test> 9223372036854775807 +0000';
        const tree = git(dir, 'rev-parse', 'HEAD^{tree}');
        writeFileSync(
          latest,
          `tree ${tree}\nparent ${git(dir, 'rev-parse', 'HEAD')}\nauthor ${who}\ncommitter ${who}\n\nlate\n`,
        );
        rewriteTip(latest);
      },
    ],
    [
      'in a header of a commit that git does not show',
      (dir) => {
        fixture.commit(dir, 'a.txt', 'a');
        const odd = join(fixture.root, 'commit');
        const [head = '', ...message] = execFileSync('git', ['-C', dir, 'cat-file', 'commit', 'HEAD'])
          .toString()
          .split('\n\n');
        writeFileSync(odd, `${head}\nx-note ${key}\n\n${message.join('\n\n')}`);
        rewriteTip(odd);
      },
    ],
  ];
  for (const [where, plant] of places) {
    it(`finds a key ${where}`, async () => {
      plant(fixture.work);
      assert.match(await refused(), /github-pat/);
    });
  }

  it('finds a key in what is published beside the commits', async () => {
    fixture.commit(fixture.work, 'a.txt', 'a');
    const reason = await refused({ texts: [{ where: 'the title', text: `Use ${key}` }] });
    assert.match(reason, /the title line 1 \(rule github-pat\)/);
    assert.match(reason, /Leave it out of the text/);
    assert.doesNotMatch(reason, /reset --soft/);
  });

  it('does not hold against an agent what is on the forge already', async () => {
    fixture.pushBase('theirs.txt', `t = ${key}\n`);
    fixture.commit(fixture.work, 'a.txt', 'a');
    fixture.mergeBase();
    git(fixture.work, 'mv', 'theirs.txt', 'moved.txt');
    git(fixture.work, 'commit', '-q', '-m', 'move');
    assert.equal((await publish()).kind, 'pushed');
  });

  describe('our own', () => {
    const bytes = Buffer.from(TOKEN.value);
    const forms: readonly (readonly [string, string | Buffer])[] = [
      ['in Base64 of lines', bytes.toString('base64').replace(/.{8}/g, '$&\n')],
      ['in a binary', Buffer.concat([Buffer.alloc(70_000), bytes, Buffer.alloc(9)])],
    ];
    for (const [how, content] of forms) {
      it(`is found ${how}, whatever the file, and without a scanner`, async () => {
        fixture.commit(fixture.work, 'package-lock.json', content);
        const verdict = await publish({}, new SecretGuard(null, () => [TOKEN]));
        assert.match(
          reasonOf(verdict),
          /package-lock\.json in commit [0-9a-f]{12} \(rule known-secret:forge-token\)/,
        );
        assert.equal(fixture.forgeTip(), '');
        assert.ok(!reasonOf(verdict).includes(TOKEN.value));
      });
    }

    it('is found in a message, a name, the branch and the texts', async () => {
      const guard = new SecretGuard(null, () => [TOKEN]);
      fixture.commit(fixture.work, 'a.txt', 'a');
      const texts = [{ where: 'the summary', text: TOKEN.value }];
      assert.match(reasonOf(await publish({ texts }, guard)), /the summary \(rule known-secret/);
      git(fixture.work, 'commit', '-q', '--amend', '-m', TOKEN.value);
      assert.match(reasonOf(await publish({}, guard)), /message.*known-secret/);
      fixture.reset();
      fixture.commit(fixture.work, `dir/${TOKEN.value}/a`, 'a');
      const reason = reasonOf(await publish({}, guard));
      assert.match(reason, /the name of a file in commit/);
      assert.ok(!reason.includes(TOKEN.value));
      assert.equal(fixture.forgeTip(), '');
    });
  });

  describe('a scanner that fails', () => {
    const broken = async (script: string): Promise<SecretGuard> => {
      const program = fakeGitleaks(
        fixture.root,
        `[ -e ${fixture.root}/broken ] || exec ${gitleaksBinary()} "$@"\necho run >>${fixture.root}/runs\n${script}`,
      );
      const started = await GitleaksScanner.start({ program });
      writeFileSync(join(fixture.root, 'broken'), '');
      return new SecretGuard(started, () => []);
    };

    it('is tried again, and then nothing is published', async () => {
      fixture.commit(fixture.work, 'a.txt', 'a');
      const verdict = await publish({}, await broken('exit 2'));
      assert.match(reasonOf(verdict), /could not be checked for secrets.*ended with 2/);
      assert.equal(fixture.forgeTip(), '');
      assert.equal(verdict.kind === 'refused' && verdict.secretScan?.outcome, 'failed');
      // Commits and texts, twice each.
      assert.equal(readFileSync(join(fixture.root, 'runs'), 'utf8'), 'run\n'.repeat(4));
    });

    it('does no harm when the second try works', async () => {
      fixture.commit(fixture.work, 'a.txt', 'a');
      const flag = join(fixture.root, 'failed-once');
      const guard = await broken(`mkdir ${flag}-$1 2>/dev/null && exit 2\nexec ${gitleaksBinary()} "$@"`);
      assert.equal((await publish({}, guard)).kind, 'pushed');
    });

    it('that stops reading in the middle is noticed', async () => {
      fixture.commit(fixture.work, 'a.txt', `t = ${key}\n`);
      // As gitleaks does over a diff that it can't parse: it reports what it has, and success.
      const guard = await broken('[ "$1" = git ] || exec ' + gitleaksBinary() + ' "$@"\necho "[]"; exit 7');
      assert.match(reasonOf(await publish({}, guard)), /did not come to the end/);
      assert.equal(fixture.forgeTip(), '');
    });
  });

  it('runs nothing that a repository asks for', async () => {
    const mark = join(fixture.root, 'mark');
    const plant = join(fixture.root, 'plant');
    writeFileSync(plant, `#!/bin/sh\n: >${mark}\n`);
    chmodSync(plant, 0o755);
    // What git would read if it looked into a work tree or a home; the quarantine has neither.
    fixture.commit(fixture.work, '.gitattributes', '* diff=evil filter=evil merge=evil textconv=evil\n');
    fixture.commit(
      fixture.work,
      '.gitconfig',
      `[diff "evil"]\n\tcommand = ${plant}\n\ttextconv = ${plant}\n`,
    );
    fixture.commit(fixture.work, 'config', `[core]\n\tfsmonitor = ${plant}\n\tpager = ${plant}\n`);
    mkdirSync(dirname(join(fixture.work, 'hooks/x')), { recursive: true });
    fixture.commit(fixture.work, 'hooks/post-checkout', `#!/bin/sh\n: >${mark}\n`);
    git(fixture.work, 'commit', '-q', '--allow-empty', '-m', 'end');
    assert.equal((await publish()).kind, 'pushed');
    assert.throws(() => readFileSync(mark), { code: 'ENOENT' });
  });
});
