import assert from 'node:assert/strict';
import { namedOneByOne, onlyNamed, withId } from '../../../../src/domain/forge/known-repositories.js';

describe('repositories that are named one by one', () => {
  it('are those that no pattern is, in whatever letters', () => {
    assert.deepEqual(namedOneByOne(['Alice/Demo', 'acme/*', '*', 'bob/x']), new Set(['alice/demo', 'bob/x']));
  });

  it('are remembered by every id that had the name, the latest last', () => {
    const once = withId({}, 'alice/demo', 1);
    assert.deepEqual(once, { 'alice/demo': [1] });
    assert.deepEqual(withId({ ...once, 'bob/x': [9] }, 'alice/demo', 2), {
      'alice/demo': [1, 2],
      'bob/x': [9],
    });
    assert.equal(withId(once, 'alice/demo', 1), once);
  });

  it('do not fill a file, however often one is made anew', () => {
    let known = {};
    for (let id = 1; id <= 25; id += 1) known = withId(known, 'alice/demo', id);
    assert.deepEqual(known, { 'alice/demo': [16, 17, 18, 19, 20, 21, 22, 23, 24, 25] });
  });

  it('are forgotten once they are no longer named', () => {
    assert.deepEqual(onlyNamed({ 'alice/demo': [1], 'bob/x': [2] }, new Set(['bob/x'])), { 'bob/x': [2] });
  });
});
