import assert from 'node:assert/strict';
import { hasExpired, isApiScope, mayUse, type ApiScope } from '../../../../src/domain/api/api-token.js';

describe('a token of the HTTP API', () => {
  const rows: readonly [ApiScope, ApiScope, boolean][] = [
    ['read', 'read', true],
    ['read', 'operate', false],
    ['operate', 'read', true],
    ['operate', 'operate', true],
  ];
  for (const [scope, needed, may] of rows)
    it(`to ${scope} ${may ? 'may' : 'may not'} be used to ${needed}`, () => {
      assert.equal(mayUse({ scope }, needed), may);
    });

  it('is good until the millisecond in which it expires', () => {
    assert.equal(hasExpired({ expiresAt: 1_000 }, 999), false);
    assert.equal(hasExpired({ expiresAt: 1_000 }, 1_000), true);
    assert.equal(hasExpired({ expiresAt: 1_000 }, 1_001), true);
  });

  it('has one of the scopes that there are, and no other word', () => {
    assert.ok(isApiScope('read') && isApiScope('operate'));
    for (const word of ['', 'Read', 'admin', 'read,operate', undefined, null, 1, ['read']])
      assert.equal(isApiScope(word), false, JSON.stringify(word));
  });
});
