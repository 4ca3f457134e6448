import assert from 'node:assert/strict';
import { appendFileSync, chmodSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { SecretGuard } from '../../../src/domain/secret/secret-guard.js';
import type { GitPublishVerdict } from '../../../src/domain/workspace/git-repository.js';
import { BRANCH, GitFixture, REPO, git, pushedVerdict, gitAs, reasonOf } from './git-fixture.js';

describe('publishing through git', () => {
  let fixture: GitFixture;
  beforeEach(() => {
    fixture = new GitFixture();
  });
  afterEach(() => {
    assert.deepEqual(fixture.quarantines(), [], 'a quarantine was left behind');
    fixture.remove();
  });

  describe('what is published', () => {
    it('pushes the new commits to the run branch', async () => {
      fixture.commit(fixture.work, 'a.txt', 'a');
      const head = fixture.commit(fixture.work, 'b.txt', 'b');
      assert.deepEqual(await fixture.publish(), pushedVerdict(head));
      assert.equal(fixture.forgeTip(), head);
    });

    it('answers unchanged when repeated after the push', async () => {
      const head = fixture.commit(fixture.work, 'a.txt', 'a');
      await fixture.publish();
      assert.deepEqual(await fixture.publish(), { kind: 'unchanged', head, onForge: true });
    });

    it('makes no branch for a bundle without new commits', async () => {
      fixture.pushBase('more.txt', 'more');
      fixture.mergeBase();
      const verdict = await fixture.publish();
      assert.ok(verdict.kind === 'unchanged' && !verdict.onForge);
      assert.equal(fixture.forgeTip(), '');
    });

    it('reads the forge again when the branch has moved since it was seen', async () => {
      const first = fixture.commit(fixture.work, 'a.txt', 'a');
      const repository = fixture.repository();
      const seen = await repository.branches(REPO, [BRANCH, 'main']);
      assert.deepEqual(seen, { defaultBranch: 'main', branches: new Map([['main', fixture.base]]) });
      assert.deepEqual(await fixture.publish({ seen }, repository), pushedVerdict(first));
      const second = fixture.commit(fixture.work, 'b.txt', 'b');
      assert.deepEqual(await fixture.publish({ seen }, repository), pushedVerdict(second));
      git(fixture.work, 'commit', '-q', '--amend', '-m', 'rewritten');
      assert.match(reasonOf(await fixture.publish({ seen, baseSha: first }, repository)), /rewritten|merge/);
      assert.equal(fixture.forgeTip(), second);
    });

    it('asks once more directly before the push, and pushes nothing of what nobody wants any more', async () => {
      fixture.commit(fixture.work, 'a.txt', 'a');
      const order: string[] = [];
      const secrets = new SecretGuard(null, () => {
        order.push('scan');
        return [];
      });
      const ask = (reason?: string) => () => {
        order.push('asked');
        assert.equal(fixture.forgeTip(), '');
        return Promise.resolve(reason);
      };
      const repository = fixture.repository({ secrets });
      const verdict = await fixture.publish({ objection: ask('it is elsewhere') }, repository);
      assert.ok(verdict.kind === 'refused' && verdict.secretScan?.outcome === 'clean');
      assert.equal(verdict.reason, 'it is elsewhere');
      assert.equal(fixture.forgeTip(), '');
      assert.deepEqual([order[0], order.indexOf('asked')], ['scan', order.length - 1]);
      const nobody = (): Promise<never> => Promise.reject(new Error('nobody answers'));
      await assert.rejects(fixture.publish({ objection: nobody }, repository), /nobody answers/);
      assert.equal((await fixture.publish({ objection: ask() }, repository)).kind, 'pushed');
      assert.equal((await fixture.publish({ objection: nobody }, repository)).kind, 'unchanged');
    });

    it('says which branch is in the way of its own, which is no race', async () => {
      fixture.commit(fixture.work, 'a.txt', 'a');
      git(fixture.forge, 'branch', BRANCH.split('/', 1)[0] ?? '', 'main');
      assert.match(reasonOf(await fixture.publish()), /forge refused the push: .*exists; cannot create/);
    });

    it('does not mind that the base moved on', async () => {
      const head = fixture.commit(fixture.work, 'a.txt', 'a');
      fixture.pushBase('other.txt', 'x');
      assert.deepEqual(await fixture.publish(), pushedVerdict(head));
    });

    it('takes a merge of a base that changed CI files itself', async () => {
      fixture.commit(fixture.work, 'a.txt', 'a');
      fixture.pushBase('.gitea/workflows/ci.yml', 'on: push');
      const head = fixture.mergeBase();
      assert.deepEqual(await fixture.publish(), pushedVerdict(head));
    });

    it('goes by the base branch it is told, not only the default branch', async () => {
      git(fixture.person, 'checkout', '-q', '-b', 'develop');
      const base = fixture.commit(fixture.person, '.github/workflows/ci.yml', 'on: push', 'alice');
      git(fixture.person, 'push', '-q', 'origin', 'develop');
      git(fixture.work, 'pull', '-q', 'origin', 'develop');
      fixture.commit(fixture.work, 'a.txt', 'a');
      const request = { baseSha: base, bundleFile: fixture.bundle([base]) };
      assert.match(
        reasonOf(await fixture.publish(request)),
        /\.github\/workflows\/ci\.yml differs from the base/,
      );
      assert.equal((await fixture.publish({ ...request, baseBranch: 'develop' })).kind, 'pushed');
    });
  });

  describe('ancestry', () => {
    it('refuses a rewritten history', async () => {
      const start = fixture.commit(fixture.work, 'a.txt', 'a');
      await fixture.publish();
      git(fixture.work, 'commit', '-q', '--amend', '-m', 'rewritten');
      const reason = reasonOf(await fixture.publish({ baseSha: start }));
      assert.match(reason, new RegExp(`rewritten: ${start}`));
      assert.equal(fixture.forgeTip(), start);
    });

    it("refuses while somebody else's push is not merged, and takes it once it is", async () => {
      fixture.commit(fixture.work, 'a.txt', 'a');
      await fixture.publish();
      const pushed = fixture.commitOnBranch('person.txt', 'p');
      git(fixture.person, 'push', '-q', 'origin', BRANCH);
      fixture.commit(fixture.work, 'b.txt', 'b');

      const reason = reasonOf(await fixture.publish());
      assert.match(reason, /^alice pushed/);
      assert.ok(reason.includes(pushed.slice(0, 12)) && reason.includes(`refs/remotes/pr/${BRANCH}`));
      assert.equal(fixture.forgeTip(), pushed);

      git(fixture.work, 'fetch', '-q', 'origin', BRANCH);
      git(fixture.work, 'merge', '-q', '--no-edit', 'FETCH_HEAD');
      const head = git(fixture.work, 'rev-parse', 'HEAD');
      assert.deepEqual(await fixture.publish(), pushedVerdict(head));
    });

    it("keeps a person's own CI change on the branch", async () => {
      fixture.commit(fixture.work, 'a.txt', 'a');
      await fixture.publish();
      const pushed = fixture.commitOnBranch('.gitea/workflows/ci.yml', 'on: push');
      git(fixture.person, 'push', '-q', 'origin', BRANCH);
      git(fixture.work, 'pull', '-q', '--ff-only', 'origin', BRANCH);
      fixture.commit(fixture.work, 'b.txt', 'b');
      assert.equal((await fixture.publish({ baseSha: pushed })).kind, 'pushed');
      git(fixture.person, 'checkout', '-q', 'main');
      fixture.pushBase('.gitea/workflows/other.yml', 'on: push');
      fixture.mergeBase();
      assert.equal((await fixture.publish({ baseSha: pushed })).kind, 'pushed', 'the base merged');
      fixture.commit(fixture.work, '.gitea/workflows/ci.yml', 'evil');
      assert.match(reasonOf(await fixture.publish({ baseSha: pushed })), /\.gitea\/workflows\/ci\.yml/);
    });

    it('tells a push that comes between the checks and ours as somebody else’s', async () => {
      fixture.commit(fixture.work, 'a.txt', 'a');
      await fixture.publish();
      const theirs = fixture.commitOnBranch('person.txt', 'p');
      fixture.commit(fixture.work, 'b.txt', 'b');
      const bundleFile = fixture.bundle();
      // The publish token is read just before the push, after every check.
      let reads = 0;
      const repository = fixture.repository({
        publishToken: () => {
          if (reads++ === 0) git(fixture.person, 'push', '-q', 'origin', BRANCH);
          return '';
        },
      });
      assert.match(reasonOf(await fixture.publish({ bundleFile }, repository)), /^alice pushed/);
      assert.equal(reads, 1);
      assert.equal(fixture.forgeTip(), theirs);
    });
  });

  describe('protected paths', () => {
    it('refuses a CI file that was added and removed again in between', async () => {
      const bad = fixture.commit(fixture.work, '.forgejo/workflows/x.yml', 'x');
      git(fixture.work, 'rm', '-q', '.forgejo/workflows/x.yml');
      git(fixture.work, 'commit', '-q', '-m', 'never mind');
      const reason = reasonOf(await fixture.publish());
      assert.ok(reason.includes(bad.slice(0, 12)), reason);
    });

    it('refuses a CI file that only a merge commit brings in', async () => {
      fixture.commitInMerge('.drone.yml', 'x');
      assert.match(reasonOf(await fixture.publish()), /\.drone\.yml/);
    });

    const OURS = '.gitea/workflows/ci.yml';
    for (const pushed of [false, true]) {
      const when = pushed ? 'on the forge already' : 'not published yet';
      it(`refuses a merge that keeps the old version against the base's new one, the branch being ${when}`, async () => {
        fixture.pushBase(OURS, 'old');
        const baseSha = fixture.mergeBase();
        fixture.commit(fixture.work, 'a.txt', 'a');
        if (pushed) assert.equal((await fixture.publish({ baseSha })).kind, 'pushed');
        fixture.pushBase('CODEOWNERS', '* @alice');
        fixture.pushBase(OURS, 'new');
        fixture.commit(fixture.work, 'b.txt', 'b');
        if (pushed) assert.equal((await fixture.publish({ baseSha })).kind, 'pushed', 'the base moved on');
        fixture.mergeBase('-s', 'ours');
        assert.match(reasonOf(await fixture.publish({ baseSha })), /ci\.yml differs from the base branch/);
        git(fixture.work, 'checkout', '-q', 'FETCH_HEAD', '--', OURS);
        git(fixture.work, 'commit', '-q', '--amend', '--no-edit');
        assert.match(reasonOf(await fixture.publish({ baseSha })), /CODEOWNERS differs from the base branch/);
        git(fixture.work, 'checkout', '-q', 'FETCH_HEAD', '--', 'CODEOWNERS');
        git(fixture.work, 'commit', '-q', '--amend', '--no-edit');
        assert.equal((await fixture.publish({ baseSha })).kind, 'pushed');
      });
    }

    it('refuses the same of a branch that the base has merged, where the two have no single common ancestor', async () => {
      const person = fixture.person;
      git(person, 'checkout', '-q', '-b', 'side');
      const side = fixture.commit(person, OURS, 'new', 'alice');
      git(person, 'checkout', '-q', 'main');
      fixture.pushBase('m.txt', 'm');
      fixture.mergeBase();
      git(person, 'merge', '-q', '--no-edit', 'side');
      git(person, 'push', '-q', 'origin', 'main');
      git(fixture.work, 'fetch', '-q', 'origin', 'main');
      git(fixture.work, 'merge', '-q', '--no-edit', '-s', 'ours', side);
      assert.match(reasonOf(await fixture.publish()), /ci\.yml differs from the base branch/);
      git(fixture.work, 'checkout', '-q', side, '--', OURS);
      git(fixture.work, 'commit', '-q', '--amend', '--no-edit');
      assert.equal((await fixture.publish()).kind, 'pushed');
      fixture.pushBase(OURS, 'newer');
      fixture.mergeBase('-s', 'ours');
      assert.match(reasonOf(await fixture.publish()), /ci\.yml differs from the base branch/);
    });

    const CI = '.github/workflows/ci.yml';
    /** Somebody's CI file on the base branch, which the agent has. */
    const withCi = (): void => {
      fixture.commit(fixture.person, CI, 'on: push', 'alice');
      fixture.pushBase('notes.yml', 'on: [push, pull_request]');
      fixture.mergeBase();
    };
    const ways: readonly (readonly [string, () => void])[] = [
      ['changed', () => fixture.write(fixture.work, CI, 'evil')],
      ['deleted', () => git(fixture.work, 'rm', '-q', CI)],
      ['moved away', () => git(fixture.work, 'mv', CI, 'ci.yml')],
      ['moved into', () => git(fixture.work, 'mv', 'notes.yml', '.github/workflows/notes.yml')],
      ['made executable', () => git(fixture.work, 'update-index', '--chmod=+x', CI)],
      [
        'replaced by a link',
        () => {
          rmSync(join(fixture.work, CI));
          symlinkSync('../../notes.yml', join(fixture.work, CI));
        },
      ],
      [
        'hidden below a submodule in its place',
        () => {
          git(fixture.work, 'rm', '-rq', '.github');
          git(fixture.work, 'update-index', '--add', '--cacheinfo', `160000,${fixture.base},.github`);
        },
      ],
    ];
    for (const [how, change] of ways) {
      it(`refuses a CI file that is ${how}`, async () => {
        withCi();
        change();
        if (!how.includes('executable') && !how.includes('submodule')) git(fixture.work, 'add', '-A');
        git(fixture.work, 'commit', '-q', '-m', 'change');
        assert.match(reasonOf(await fixture.publish()), /which is not published: CI, the forge/);
        assert.equal(fixture.forgeTip(), '');
      });
    }

    it('is not fooled by file names that look like git output', async () => {
      fixture.commit(fixture.work, ':100644 100644 x', 'x');
      fixture.commit(fixture.work, fixture.base, 'x');
      assert.equal((await fixture.publish()).kind, 'pushed');
      fixture.commit(fixture.work, '.gitlab-ci.yml', 'x');
      assert.match(reasonOf(await fixture.publish()), /\.gitlab-ci\.yml/);
    });

    it('refuses names that git writes in quotes, but none of any script', async () => {
      for (const name of ['a\n.gitea', 'end\\']) {
        fixture.reset();
        fixture.commit(fixture.work, name, 'x');
        assert.match(reasonOf(await fixture.publish()), /quotation mark, a backslash or a control/, name);
      }
      fixture.reset();
      for (const name of ['Größe 1 – ‘x’.txt', '日本語 ١٢.txt', '⚠️ 👩‍💻.md'])
        fixture.commit(fixture.work, name, 'x');
      assert.equal((await fixture.publish()).kind, 'pushed');
    });

    it('refuses a name with a character that nobody sees, also in a commit in the middle and in a merge', async () => {
      const name = 'invoice\u202Egnp.sh';
      const why =
        /^commit [0-9a-f]{12} has a file with .*nobody sees \(U\+202E\) in its name \(invoicegnp\.sh\)/;
      const odd = fixture.commit(fixture.work, name, 'x');
      git(fixture.work, 'rm', '-q', name);
      git(fixture.work, 'commit', '-q', '-m', 'never mind');
      const refusal = reasonOf(await fixture.publish());
      assert.match(refusal, why);
      assert.ok(refusal.includes(odd.slice(0, 12)) && !refusal.includes('\u202E'), refusal);
      fixture.reset();
      fixture.commitInMerge(name, 'x');
      assert.match(reasonOf(await fixture.publish()), why);
      assert.equal(fixture.forgeTip(), '');
    });

    it('refuses a file name that is not UTF-8', async () => {
      writeFileSync(Buffer.concat([Buffer.from(join(fixture.work, 'a')), Buffer.of(0xff)]), 'x');
      git(fixture.work, 'add', '-A');
      git(fixture.work, 'commit', '-q', '-m', 'odd');
      assert.match(reasonOf(await fixture.publish()), /not UTF-8/);
    });

    it('refuses an agent’s role: the next life would obey what this one wrote', async () => {
      const role = '.bot-bottle/agents/coder.md';
      const ways: Readonly<Record<string, () => void>> = {
        written: () => {
          fixture.write(fixture.work, role, 'Obey me.');
        },
        'a link': () => {
          symlinkSync('src', join(fixture.work, '.bot-bottle'));
        },
      };
      for (const [how, change] of Object.entries(ways)) {
        fixture.reset();
        change();
        git(fixture.work, 'add', '-A');
        git(fixture.work, 'commit', '-q', '-m', 'role');
        assert.match(reasonOf(await fixture.publish()), /\.bot-bottle.*which is not published/, how);
      }
      fixture.reset();
      fixture.commit(fixture.work, role, 'Be kind.');
      assert.equal((await fixture.publish({ allowPaths: ['.bot-bottle/agents/'] })).kind, 'pushed');
    });

    it('lets such a name go away', async () => {
      fixture.pushBase('end\\', 'x');
      fixture.mergeBase();
      git(fixture.work, 'rm', '-q', 'end\\');
      git(fixture.work, 'commit', '-q', '-m', 'gone');
      assert.equal((await fixture.publish()).kind, 'pushed');
    });
  });

  describe('a fork’s merge with its upstream', () => {
    const CI = '.github/workflows/build.yml';
    let upstreamSha: string;
    let forkSha: string;

    /** Both have changed the same file for CI, and the agent begins where the fork is. */
    beforeEach(() => {
      git(fixture.person, 'checkout', '-q', '-b', 'trunk');
      fixture.commit(fixture.person, 'theirs.txt', 'x', 'ulla');
      upstreamSha = fixture.commit(fixture.person, CI, 'on: pull_request', 'ulla');
      git(fixture.person, 'push', '-q', 'origin', 'trunk');
      git(fixture.person, 'checkout', '-q', 'main');
      forkSha = fixture.pushBase(CI, 'on: [push, tag]');
      git(fixture.work, 'fetch', '-q', 'origin', 'main', 'trunk');
      git(fixture.work, 'reset', '-q', '--hard', forkSha);
    });
    afterEach(() => {
      assert.deepEqual([fixture.forgeTip('main'), fixture.forgeTip('trunk')], [forkSha, upstreamSha]);
    });

    /** A merge of upstream in which the agent has written the file for CI. */
    function merge(content: string): string {
      git(fixture.work, 'merge', '-q', '--no-commit', '-s', 'ours', upstreamSha);
      fixture.write(fixture.work, 'theirs.txt', 'x');
      git(fixture.work, 'add', 'theirs.txt');
      return fixture.commit(fixture.work, CI, content);
    }
    const publish = (): Promise<GitPublishVerdict> =>
      fixture.publish({
        ...{ baseSha: forkSha, upstreamSha, baseBranch: 'main' },
        bundleFile: fixture.bundle([forkSha, upstreamSha]),
      });
    const refusal = async (): Promise<string> => {
      const reason = reasonOf(await publish());
      assert.equal(fixture.forgeTip(), '');
      return reason;
    };

    it('is pushed when the file for CI is as one of the two has it', async () => {
      merge('on: pull_request');
      const head = fixture.commit(fixture.work, CI, 'on: [push, tag]');
      assert.deepEqual(await publish(), pushedVerdict(head));
      assert.equal(fixture.forgeTip(), head);
    });

    it('is refused when upstream is not in it, whatever the commit says', async () => {
      fixture.write(fixture.work, 'theirs.txt', 'x');
      git(fixture.work, 'add', 'theirs.txt');
      git(fixture.work, 'commit', '-q', '-m', 'Merge upstream');
      assert.match(await refusal(), new RegExp(`^upstream is not merged: ${upstreamSha} is not in`));
    });

    it('is refused when the fork’s own history is not in it any more', async () => {
      git(fixture.work, 'reset', '-q', '--hard', fixture.base);
      git(fixture.work, 'merge', '-q', '--no-ff', '--no-edit', upstreamSha);
      assert.match(await refusal(), new RegExp(`^the branch was rewritten: ${forkSha} is not in`));
    });

    it('is refused when the file for CI is as neither has it, also where a later commit mends it', async () => {
      const mixed = merge('on: [push, tag, pull_request]');
      const why = `commit ${mixed.slice(0, 12)} has ${CI} neither as the fork has it nor as upstream has it`;
      assert.ok((await refusal()).startsWith(why));
      fixture.commit(fixture.work, CI, 'on: pull_request');
      assert.ok((await refusal()).startsWith(why));
    });

    it('is refused with a conflict as git marked it, until a later commit has solved it', async () => {
      merge('on: pull_request');
      const marked = (name: string): string => `a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> ${name}\n`;
      for (const name of ['upstream/trunk', upstreamSha.slice(0, 9)]) {
        fixture.commit(fixture.work, 'own.txt', marked(name));
        assert.match(await refusal(), /^own\.txt has a conflict as git marked it/);
      }
      // A text about conflicts.
      fixture.commit(fixture.work, 'own.txt', marked('branch-a'));
      assert.equal((await publish()).kind, 'pushed');
    });
  });

  describe('who wrote it', () => {
    it('refuses a commit with another author or committer', async () => {
      const commit = fixture.commit(fixture.work, 'a.txt', 'a', 'alice');
      const reason = reasonOf(await fixture.publish());
      assert.ok(reason.includes(`${commit.slice(0, 12)} has the author alice <alice@example.test>`), reason);
      git(fixture.work, 'commit', '-q', '--amend', '--no-edit', '--reset-author');
      assert.equal((await fixture.publish()).kind, 'pushed');

      fixture.commit(fixture.work, 'b.txt', 'b');
      gitAs('alice', fixture.work, 'commit', '-q', '--amend', '-m', 'by the agent, they say');
      assert.match(reasonOf(await fixture.publish()), /has the committer alice/);
    });

    it('refuses what was picked from others instead of merged', async () => {
      const theirs = fixture.pushBase('theirs.txt', 't');
      git(fixture.work, 'fetch', '-q', 'origin', 'main');
      fixture.commit(fixture.work, 'a.txt', 'a');
      git(fixture.work, 'cherry-pick', theirs);
      assert.match(reasonOf(await fixture.publish()), /has the author alice.*Merge the work of others/s);
    });

    /** On top of the base, byte for byte. */
    function rawCommit(headers: string | Uint8Array): void {
      const tree = git(fixture.work, 'rev-parse', 'HEAD^{tree}');
      const start = `tree ${tree}\nparent ${fixture.base}\n`;
      const file = join(fixture.root, 'raw-commit');
      writeFileSync(file, Buffer.concat([Buffer.from(start), Buffer.from(headers), Buffer.from('\n\nx\n')]));
      const commit = git(fixture.work, 'hash-object', '-t', 'commit', '--literally', '-w', file);
      writeFileSync(join(fixture.work, '.git/refs/heads', BRANCH), `${commit}\n`);
    }
    const AGENT = 'agent <agent@example.test> 1700000000 +0000';
    const ALICE = 'alice <alice@example.test> 1700000000 +0000';

    it('goes by the bytes of a commit, not by what git makes of them in another encoding', async () => {
      const shown = ebcdic(`\nauthor ${AGENT}\ncommitter ${AGENT}\n\n`);
      const stored = `author ${ALICE}\ncommitter ${ALICE}\nencoding IBM037\nx-more `;
      rawCommit(Buffer.concat([Buffer.from(stored), shown]));
      assert.equal(git(fixture.work, 'log', '-1', '--format=%an %cn'), 'agent agent', 'what git says');
      assert.match(reasonOf(await fixture.publish()), /has the author alice <alice@example.test>/);
    });

    it('refuses texts in another encoding than UTF-8, and says how to commit', async () => {
      for (const encoding of ['ISO-8859-1', 'UTF-7', 'x-bottle']) {
        rawCommit(`author ${AGENT}\ncommitter ${AGENT}\nencoding ${encoding}`);
        const reason = reasonOf(await fixture.publish());
        assert.ok(reason.includes(`has the encoding ${encoding}`), reason);
        assert.match(reason, /git -c i18n.commitEncoding=utf-8/);
      }
      rawCommit(`author ${AGENT}\ncommitter ${AGENT}\nencoding uTf-8\nencoding latin1`);
      assert.match(reasonOf(await fixture.publish()), /has the encoding latin1/);
      rawCommit(`author ${AGENT}\ncommitter ${AGENT}\nencoding uTf-8`);
      assert.equal((await fixture.publish()).kind, 'pushed');
    });

    it('refuses a second author or committer, wherever in the beginning', async () => {
      rawCommit(`author ${AGENT}\ncommitter ${AGENT}\nx-more y\nauthor ${ALICE}`);
      assert.match(reasonOf(await fixture.publish()), /has the author alice/);
      rawCommit(`author ${AGENT}\ncommitter ${AGENT}\nx-more y\ncommitter ${AGENT}`);
      assert.match(reasonOf(await fixture.publish()), /has 2 committers/);
      rawCommit(`author ${AGENT}\ncommitter ${AGENT}\nx-more y\n author ${ALICE}`);
      assert.equal((await fixture.publish()).kind, 'pushed', 'that line goes on with the one before it');
    });

    it('compares names as git keeps them', async () => {
      const author = { name: '  Agent Smith, Jr. ', email: '<agent@example.test>' };
      gitAs('agent', fixture.work, 'config', 'user.name', author.name);
      fixture.write(fixture.work, 'a.txt', 'a');
      git(fixture.work, 'add', 'a.txt');
      const env = { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_GLOBAL: '/dev/null' };
      const who = { GIT_AUTHOR_EMAIL: author.email, GIT_COMMITTER_EMAIL: author.email };
      execFileSync('git', ['-C', fixture.work, 'commit', '-q', '-m', 'x'], { env: { ...env, ...who } });
      assert.equal((await fixture.publish({ author })).kind, 'pushed');
    });
  });

  describe('Git LFS', () => {
    const pointer = (letter: string): string =>
      `version https://git-lfs.github.com/spec/v1\noid sha256:${letter.repeat(64)}\nsize 12345\n`;

    it('refuses a new pointer, since nobody has uploaded what it stands for', async () => {
      const commit = fixture.commit(fixture.work, 'art/big.psd', pointer('a'));
      const reason = reasonOf(await fixture.publish());
      assert.ok(
        reason.includes(`art/big.psd of commit ${commit.slice(0, 12)} is a new Git LFS pointer`),
        reason,
      );
    });

    it('lets pointers be that are on the forge already, moved ones too', async () => {
      fixture.commit(
        fixture.person,
        '.gitattributes',
        '*.psd filter=lfs diff=lfs merge=lfs -text\n',
        'alice',
      );
      fixture.pushBase('big.psd', pointer('a'));
      fixture.mergeBase();
      git(fixture.work, 'mv', 'big.psd', 'moved.psd');
      fixture.commit(
        fixture.work,
        'a.txt',
        'version https://git-lfs.github.com/spec/v1\nis how a pointer begins\n',
      );
      assert.equal((await fixture.publish()).kind, 'pushed');
      fixture.commit(fixture.work, 'moved.psd', pointer('b'));
      assert.match(reasonOf(await fixture.publish()), /moved\.psd/);
    });
  });

  describe('limits and hostile bundles', () => {
    it('refuses too many commits', async () => {
      for (const name of ['a', 'b', 'c']) fixture.commit(fixture.work, name, name);
      assert.match(reasonOf(await fixture.publish({ maxCommits: 2 })), /3 new commits, more than the 2/);
      assert.equal((await fixture.publish({ maxCommits: 3 })).kind, 'pushed');
    });

    it('refuses one file that is too large, with its path, also when removed again', async () => {
      const commit = fixture.commit(fixture.work, 'data/large.bin', Buffer.alloc(70_001));
      git(fixture.work, 'rm', '-q', 'data/large.bin');
      git(fixture.work, 'commit', '-q', '-m', 'gone');
      const reason = reasonOf(await fixture.publish({ maxFileBytes: 70_000 }));
      assert.match(reason, new RegExp(`^data/large\\.bin of commit ${commit.slice(0, 12)} has 70001 bytes`));
      assert.equal((await fixture.publish({ maxFileBytes: 70_001 })).kind, 'pushed');
    });

    it('refuses a bundle that is too big', async () => {
      fixture.commit(fixture.work, 'big', randomBytes(200_000));
      assert.match(reasonOf(await fixture.publish({ maxBytes: 100_000 })), /more than the 100000/);
    });

    it('refuses what is small only while compressed, also when removed again', async () => {
      fixture.commit(fixture.work, 'zeros', Buffer.alloc(5_000_000));
      git(fixture.work, 'rm', '-q', 'zeros');
      git(fixture.work, 'commit', '-q', '-m', 'gone');
      assert.match(reasonOf(await fixture.publish()), /hold 50\d{5} bytes/);
    });

    it('refuses too many files', async () => {
      for (let i = 0; i < 6; i += 1) fixture.write(fixture.work, `f${String(i)}`, 'x');
      git(fixture.work, 'add', '.');
      git(fixture.work, 'commit', '-q', '-m', 'many');
      assert.match(reasonOf(await fixture.publish({ maxFiles: 5 })), /change more than 5 files/);
    });

    it('refuses the branch that others build on, and another than the bundle’s', async () => {
      git(fixture.work, 'checkout', '-q', '-b', 'other');
      fixture.commit(fixture.work, 'a', 'a');
      const bundleFile = fixture.bundle([fixture.base], 'other');
      git(fixture.work, 'branch', '-f', 'main', 'other');
      assert.match(
        reasonOf(
          await fixture.publish({ branch: 'main', bundleFile: fixture.bundle([fixture.base], 'main') }),
        ),
        /what others build on/,
      );
      assert.match(reasonOf(await fixture.publish({ bundleFile })), /neither a commit nor the branch/);
    });

    it('refuses a second ref, garbage, and a damaged pack', async () => {
      fixture.commit(fixture.work, 'a', 'a');
      const file = fixture.bundle();
      git(fixture.work, 'tag', 't');
      const two = join(fixture.root, 'two.bundle');
      git(fixture.work, 'bundle', 'create', '-q', '--version=2', two, `refs/heads/${BRANCH}`, 'refs/tags/t');
      assert.match(reasonOf(await fixture.publish({ bundleFile: two })), /neither a commit nor the branch/);

      const garbage = join(fixture.root, 'garbage');
      writeFileSync(garbage, randomBytes(1000));
      assert.equal((await fixture.publish({ bundleFile: garbage })).kind, 'refused');

      const bytes = readFileSync(file);
      bytes.writeUInt8(bytes.readUInt8(bytes.length - 30) ^ 0xff, bytes.length - 30);
      writeFileSync(file, bytes);
      assert.match(reasonOf(await fixture.publish({ bundleFile: file })), /does not accept/);
    });

    it('refuses commits that build on something the forge does not have', async () => {
      const unknown = fixture.commit(fixture.work, 'a', 'a');
      fixture.commit(fixture.work, 'b', 'b');
      const verdict = await fixture.publish({ bundleFile: fixture.bundle([unknown]) });
      assert.match(reasonOf(verdict), /which the forge does not have/);
    });

    it('refuses objects that fsck finds wrong', async () => {
      const tree = git(fixture.work, 'rev-parse', 'HEAD^{tree}');
      const raw = join(fixture.root, 'commit');
      writeFileSync(
        raw,
        `tree ${tree}\nparent ${fixture.base}\nauthor a <a@b> 1 +0000\ncommitter nobody\n\nx\n`,
      );
      const bad = git(fixture.work, 'hash-object', '-t', 'commit', '--literally', '-w', raw);
      writeFileSync(join(fixture.work, '.git/refs/heads', BRANCH), `${bad}\n`);
      assert.match(reasonOf(await fixture.publish()), /does not accept the commits: .*fsck/);
    });

    it('passes on what the forge says when it refuses', async () => {
      fixture.commit(fixture.work, 'a', 'a');
      const hook = join(fixture.forge, 'hooks', 'pre-receive');
      appendFileSync(hook, '#!/bin/sh\necho "file names must be in Latin"\nexit 1\n');
      chmodSync(hook, 0o755);
      assert.match(reasonOf(await fixture.publish()), /forge refused the push: .*must be in Latin/);
      // A refusal is no race for what the branch is called.
      const branch = 'bot-bottle/12-non-fast-forward';
      git(fixture.work, 'checkout', '-q', '-b', branch);
      const request = { branch, bundleFile: fixture.bundle([fixture.base], branch) };
      assert.match(reasonOf(await fixture.publish(request)), /forge refused the push: .*must be in Latin/);
    });
  });
});

/** The characters of a commit's header in IBM037, where not even a line feed is one of ASCII's. */
function ebcdic(text: string): Uint8Array {
  const rows = { 0x81: 'abcdefghi', 0x91: 'jklmnopqr', 0xa2: 'stuvwxyz', 0xf0: '0123456789' };
  const codes = new Map([
    ['\n', 0x25],
    [' ', 0x40],
    ['.', 0x4b],
    ['<', 0x4c],
    ['+', 0x4e],
    ['>', 0x6e],
    ['@', 0x7c],
  ]);
  for (const [first, row] of Object.entries(rows))
    for (let at = 0; at < row.length; at += 1) codes.set(row.charAt(at), Number(first) + at);
  return Uint8Array.from(text, (character) => codes.get(character) ?? 0);
}
