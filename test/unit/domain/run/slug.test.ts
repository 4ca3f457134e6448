import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  branchOf,
  isSlug,
  issueOfBranch,
  issueOfSlug,
  localBranchOf,
  makeLocalSlug,
  makeSlug,
} from '../../../../src/domain/run/slug.js';

const subject = { forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 } as const;
const anyNumber = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const random = fc.double({ min: 0, max: 0.999999999, noNaN: true });

describe('a slug', () => {
  it('is agent, owner, repository, issue and five random characters', () => {
    const numbers = [0, 0.99, 0.5, 0.3, 0.1];
    assert.equal(
      makeSlug('implementer', subject, () => numbers.shift() ?? 0),
      'implementer-alice-demo-12-0ziA3'.toLowerCase(),
    );
  });

  it('is valid and at most 63 characters for every name and number', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 100, size: 'max' }),
        fc.string({ maxLength: 100, size: 'max' }),
        fc.string({ maxLength: 200, size: 'max' }),
        anyNumber,
        random,
        (agent, owner, repo, number, r) => {
          fc.pre(/[a-z0-9]/i.test(agent));
          const slug = makeSlug(agent, { forge: 'gitea', owner, repo, number }, () => r);
          assert.ok(isSlug(slug), slug);
          assert.ok(slug.length <= 63);
          assert.match(slug, new RegExp(`-${String(number)}-[a-z0-9]{5}$`));
        },
      ),
    );
  });

  it('is of one piece where names are long, empty or nothing but signs', () => {
    const of = (agent: string, owner: string, repo: string): string =>
      makeSlug(agent, { ...subject, owner, repo }, () => 0);
    assert.equal(of('a', '***', 'demo'), 'a-demo-12-00000');
    assert.equal(of('--a--b--', '__c__', '--'), 'a-b-c-12-00000');
    assert.equal(of(`${'a'.repeat(53)}**b`, 'c', 'd'), `${'a'.repeat(53)}-12-00000`, 'cut behind a hyphen');
    assert.equal(
      makeLocalSlug('a', ['***', 'demo'], () => 0),
      'a-demo-local-00000',
    );
    assert.equal(
      makeLocalSlug('a'.repeat(51), ['b'], () => 0),
      `${'a'.repeat(51)}-local-00000`,
    );
  });

  it('tells the number of its issue, and one that nobody made tells none', () => {
    assert.equal(issueOfSlug(makeSlug('a', { ...subject, number: 4711 }, () => 0.5)), 4711);
    for (const none of ['coder', 'coder-x-12', 'coder-12-abcd', 'coder-12-abcde-', 'coder-12-ABCDE'])
      assert.equal(issueOfSlug(none), undefined, none);
    assert.equal(localBranchOf('coder-local-aaaaa-12'), undefined);
  });

  it('gives a branch that leads back to its issue', () => {
    fc.assert(
      fc.property(anyNumber, random, (number, r) => {
        const slug = makeSlug('a', { ...subject, number }, () => r);
        assert.equal(issueOfBranch(branchOf(slug, number)), number);
      }),
    );
  });

  it('of a run without an issue has no number, is valid for every name, and gives a branch of its own', () => {
    const random = (): number => 0.3;
    assert.equal(makeLocalSlug('coder', ['alice', 'demo'], random), 'coder-alice-demo-local-aaaaa');
    const hostile = makeLocalSlug('coder', ['../..; rm -rf ~ \u202e', 'x'.repeat(200)], random);
    assert.match(hostile, /^coder-rm-rf-x+-local-aaaaa$/);
    assert.ok(isSlug(hostile));
    assert.equal(makeLocalSlug('coder', ['...'], random), 'coder-local-aaaaa');
    assert.equal(localBranchOf('coder-alice-demo-local-aaaaa'), 'bot-bottle/coder-alice-demo-local-aaaaa');
    assert.equal(issueOfSlug(makeLocalSlug('coder', ['alice', 'demo-12'], random)), undefined);
    assert.equal(localBranchOf('coder-alice-local-12-aaaaa'), undefined, 'the repository is called local');
  });

  it('is told from everything else', () => {
    for (const bad of ['', '-a', 'a-', 'A', 'a_b', '..', 'a/b', 'a\n', 'x'.repeat(64), 7, null])
      assert.ok(!isSlug(bad));
    for (const good of ['a', 'ab', 'a-b', '7', 'x'.repeat(63)]) assert.ok(isSlug(good), good);
    for (const bad of [
      'main',
      'bot-bottle/x-abcde',
      'bot-bottle/1-abcd',
      'x/bot-bottle/1-abcde',
      'bot-bottle/1-abcde/x',
    ]) {
      assert.equal(issueOfBranch(bad), undefined);
    }
  });
});
