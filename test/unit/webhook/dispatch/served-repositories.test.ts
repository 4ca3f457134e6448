import assert from 'node:assert/strict';
import { servedRepositories } from '../../../../src/webhook/dispatch/served-repositories.js';

describe('servedRepositories', () => {
  it('serves everything without patterns, and with a star alone', () => {
    assert.ok(servedRepositories([])('any', 'thing'));
    assert.ok(servedRepositories(['*'])('any', 'thing'));
  });

  it('matches owner and name whole, the star within one of them, without regard to case', () => {
    const serves = servedRepositories(['alice/*', 'bob/demo', 'carol/web-*', 'x.y/z']);
    assert.ok(
      serves('alice', 'anything') &&
        serves('Alice', 'X') &&
        serves('bob', 'DEMO') &&
        serves('carol', 'web-1') &&
        serves('x.y', 'z'),
    );
    assert.ok(
      !serves('malice', 'a') && !serves('bob', 'demo2') && !serves('carol', 'api') && !serves('xzy', 'z'),
    );
  });

  it('refuses what is no pattern, and says how one looks', () => {
    for (const pattern of ['alice', 'a/b/c', '', '(a+)+/x', 'a /b']) {
      assert.throws(() => servedRepositories([pattern]), /owner\/\*/, pattern);
    }
  });
});
