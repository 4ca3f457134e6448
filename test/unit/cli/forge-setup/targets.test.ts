import assert from 'node:assert/strict';
import { targetsOf } from '../../../../src/cli/forge-setup/targets.js';
import { InvalidInputError } from '../../../../src/domain/base/errors.js';

describe('what is set up', () => {
  const repo = (owner: string, name: string) => ({ kind: 'repo', owner, repo: name });

  it('is what the command names, each once', () => {
    assert.deepEqual(targetsOf(['a/b', 'A/B', 'c/d'], 'acme', ['x/y']), [
      { kind: 'org', org: 'acme' },
      repo('A', 'B'),
      repo('c', 'd'),
    ]);
  });

  it('else the repositories that FORGE_REPOS names one by one', () => {
    assert.deepEqual(targetsOf([], undefined, ['acme/*', 'a/b']), [repo('a', 'b')]);
    assert.throws(() => targetsOf([], undefined, ['*']), /names no single repository/);
  });

  it('is never a path', () => {
    for (const text of ['a', 'a/b/c', '../x', 'a/..', 'a/b#1', 'https://x/y'])
      assert.throws(() => targetsOf([text], undefined, []), InvalidInputError);
    assert.throws(() => targetsOf([], '../x', []), InvalidInputError);
  });
});
