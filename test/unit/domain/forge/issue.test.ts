import assert from 'node:assert/strict';
import fc from 'fast-check';
import { forkName } from '../../../../src/domain/forge/forks.js';
import { nameOfTarget } from '../../../../src/domain/forge/forge-admin.js';
import { mirrorDirectory } from '../../../../src/adapters/git/mirror.js';
import { isSlug, makeSlug } from '../../../../src/domain/run/slug.js';
import { isOperatorName } from '../../../../src/domain/forge/operator-name.js';
import {
  isCommitId,
  isForgeName,
  isOwnerName,
  parseRepoName,
  isForgeNumber,
  isHeadOfOurs,
  isLocal,
  localSubject,
  parseSubject,
  subjectOfWorkflow,
  workflowIdOf,
} from '../../../../src/domain/forge/issue.js';

describe('a forge number', () => {
  it('is positive, whole and exactly representable', () => {
    for (const good of [1, 318, Number.MAX_SAFE_INTEGER]) assert.ok(isForgeNumber(good));
    for (const bad of [0, -1, 1.5, NaN, Infinity, 2 ** 53, '1', '1/../2', null, undefined, 1n])
      assert.ok(!isForgeNumber(bad));
  });
});

describe('the name of an owner or repository', () => {
  it('cannot leave its place in a URL or path', () => {
    for (const isName of [isOwnerName, isForgeName]) {
      for (const good of ['alice', 'a.b', 'A-1_x']) assert.ok(isName(good));
      for (const bad of ['', '.', '..', '-', 'a..b', 'a/b', 'a b', 'a%2f', 'demo.git', 'x'.repeat(101), 3])
        assert.ok(!isName(bad));
    }
  });

  it('begins as Gitea lets it: a repository’s with any of its characters, an owner’s with a letter or digit', () => {
    for (const name of ['.profile', '_site', '-x', '_', '--', '.git-blame']) {
      assert.ok(isForgeName(name), name);
      assert.ok(!isOwnerName(name), name);
    }
    for (const bad of ['.git', '..x', 'a.wiki', 'a.RSS', 'a.atom', 'a.GIT'])
      assert.ok(!isForgeName(bad), bad);
  });

  it('makes what it should where a repository’s begins so', () => {
    for (const repo of ['.profile', '_site', '-x']) {
      const subject = { forge: 'gitea', owner: 'alice', repo, number: 12 } as const;
      assert.deepEqual(subjectOfWorkflow(workflowIdOf(subject)), subject);
      assert.deepEqual(parseRepoName(`alice/${repo}`), { owner: 'alice', repo });
      assert.ok(isForgeName(forkName(subject)));
      assert.ok(isSlug(makeSlug('dev', subject, () => 0)));
      const mirror = mirrorDirectory('/m', subject);
      assert.ok(mirror.startsWith(`/m/gitea/alice/${repo}-`), mirror);
    }
  });
});

describe('the name of a repository', () => {
  it('is an owner and a name, and nothing else', () => {
    assert.deepEqual(parseRepoName('alice/Demo.x'), { owner: 'alice', repo: 'Demo.x' });
    for (const bad of [
      '',
      'alice',
      'alice/',
      '/demo',
      'alice/demo/more',
      'alice/demo/',
      'alice/*',
      'a b/demo',
    ])
      assert.equal(parseRepoName(bad), undefined, bad);
  });
});

describe('a subject', () => {
  it('reads back from its workflow id, with and without the forge', () => {
    const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,20}$/);
    fc.assert(
      fc.property(name, name, fc.integer({ min: 1 }), (owner, repo, number) => {
        const subject = { forge: 'gitea', owner, repo, number } as const;
        assert.deepEqual(parseSubject(workflowIdOf(subject)), subject);
        assert.deepEqual(parseSubject(`${owner}/${repo}#${String(number)}`), subject);
      }),
    );
  });

  it('is not read from anything else', () => {
    for (const bad of [
      '',
      'a/b',
      'a/b#0',
      'a/b#x',
      'a/b#-1',
      'a/b/c#1',
      'gitlab:a/b#1',
      'a/..#1',
      'a/b#99999999999999999',
    ]) {
      assert.equal(parseSubject(bad), undefined, bad);
    }
  });

  it('is read of the forge it names, with space around it', () => {
    assert.deepEqual(parseSubject(' gitea:alice/demo#12\n'), {
      ...{ forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 },
    });
  });

  it('without a forge is known by its slug alone', () => {
    const local = localSubject('tidy-up');
    assert.equal(workflowIdOf(local), 'local:tidy-up');
    assert.deepEqual(subjectOfWorkflow('local:tidy-up'), local);
    assert.equal(isLocal(local), true);
  });

  it('is not what another kind of workflow is about', () => {
    const subject = { forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 } as const;
    assert.deepEqual(subjectOfWorkflow('gitea:alice/demo#12'), subject);
    assert.equal(isLocal(subject), false);
    for (const id of ['', 'local:', 'local:../x', 'alice/demo#12', 'gitea:alice/demo', 'upkeep', 'x:local:a'])
      assert.equal(subjectOfWorkflow(id), undefined, id);
  });
});

describe('the head of a pull request', () => {
  it('is ours in the repository itself and in the bot’s own fork', () => {
    const bot = { id: 7, login: 'bot' };
    const head = (fromFork: boolean, owner?: number) => ({
      head: {
        ...{ ref: 'work', sha: 'c0ffee', fromFork },
        ...(owner === undefined ? {} : { forkOwner: { id: owner, login: 'bot' } }),
      },
    });
    assert.equal(isHeadOfOurs(head(false), bot), true);
    assert.equal(isHeadOfOurs(head(true, 7), bot), true);
    assert.equal(isHeadOfOurs(head(true, 8), bot), false);
    assert.equal(isHeadOfOurs(head(true), bot), false);
  });
});

describe('the id of a commit', () => {
  it('is that of SHA-1 or SHA-256, whole', () => {
    for (const good of ['0a'.repeat(20), 'f9'.repeat(32)]) assert.ok(isCommitId(good));
    for (const bad of [
      '',
      '0a'.repeat(19),
      '0a'.repeat(21),
      'G'.repeat(40),
      'A'.repeat(40),
      `${'a'.repeat(40)}\n`,
    ])
      assert.ok(!isCommitId(bad), bad);
  });
});

describe('names that go into a line or an address', () => {
  it('are of an operator one word that a terminal can show', () => {
    for (const good of ['alice@build-1', 'Ä', 'x'.repeat(128)]) assert.ok(isOperatorName(good), good);
    for (const bad of ['', 'a b', 'a\u001b', 'a\u200b', 'a\n', 'x'.repeat(129), 7, null])
      assert.ok(!isOperatorName(bad), String(bad));
  });

  it('are of a fork those of owner and repository, as far as a forge takes them', () => {
    const named = (owner: string, repo: string): string => forkName({ forge: 'gitea', owner, repo });
    assert.equal(named('alice', 'demo'), 'alice-demo');
    assert.equal(named('a'.repeat(60), 'b'.repeat(60)), `${'a'.repeat(60)}-${'b'.repeat(39)}`);
  });

  it('are of a place for hooks the repository’s or the organization’s', () => {
    assert.equal(nameOfTarget({ kind: 'repo', owner: 'alice', repo: 'demo' }), 'alice/demo');
    assert.equal(nameOfTarget({ kind: 'org', org: 'acme' }), 'acme');
  });
});
