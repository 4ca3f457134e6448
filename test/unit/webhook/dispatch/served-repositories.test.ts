import assert from 'node:assert/strict';
import { servedRepositories } from '../../../../src/webhook/dispatch/served-repositories.js';

describe('servedRepositories', () => {
  it('serves everything by a star alone', () => {
    assert.ok(servedRepositories(['*'])('any', 'thing'));
  });

  it('matches owner and name whole, without regard to case', () => {
    const serves = servedRepositories(['alice/*', 'Bob/demo', 'x.y/z']);
    assert.ok(
      serves('alice', 'anything') && serves('Alice', 'X') && serves('bob', 'DEMO') && serves('x.y', 'z'),
    );
    assert.ok(!serves('malice', 'a') && !serves('bob', 'demo2') && !serves('xzy', 'z'));
  });
});
