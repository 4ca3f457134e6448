import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  isForgeName,
  isForgeNumber,
  parseSubject,
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
    for (const good of ['alice', 'a.b', 'A-1_x']) assert.ok(isForgeName(good));
    for (const bad of ['', '.', '..', 'a..b', 'a/b', 'a b', 'a%2f', '-a', 'demo.git', 'x'.repeat(101), 3])
      assert.ok(!isForgeName(bad));
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
});
