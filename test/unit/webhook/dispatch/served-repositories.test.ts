import assert from 'node:assert/strict';
import { servedRepositories } from '../../../../src/webhook/dispatch/served-repositories.js';

describe('servedRepositories', () => {
  it('serves everything with a star alone, and nothing without a pattern', () => {
    assert.ok(servedRepositories(['*'])('any', 'thing'));
    assert.ok(!servedRepositories([])('any', 'thing'));
  });

  it('matches owner and name whole, without regard to case', () => {
    const serves = servedRepositories(['alice/*', 'Bob/demo', 'x.y/z']);
    for (const [owner, repo] of [
      ['alice', 'anything'],
      ['Alice', 'X'],
      ['bob', 'DEMO'],
      ['x.y', 'z'],
    ] as const)
      assert.ok(serves(owner, repo), `${owner}/${repo}`);
    for (const [owner, repo] of [
      ['malice', 'a'],
      ['bob', 'demo2'],
      ['bob', '*demo'],
      ['xzy', 'z'],
    ] as const)
      assert.ok(!serves(owner, repo), `${owner}/${repo}`);
  });
});
