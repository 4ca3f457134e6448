import assert from 'node:assert/strict';
import { RecentKeys } from '../../../../src/webhook/dispatch/recent-keys.js';

describe('the keys of late', () => {
  it('are as many as there may be; the one that was set longest ago goes first', () => {
    const keys = new RecentKeys<number>(2);
    keys.set('a', 1);
    keys.set('b', 2);
    assert.deepEqual([keys.get('a'), keys.get('b')], [1, 2]);
    keys.set('a', 3);
    keys.set('c', 4);
    assert.deepEqual([keys.get('a'), keys.get('b'), keys.get('c')], [3, undefined, 4]);
  });

  it('stay when one of them is set anew', () => {
    const keys = new RecentKeys<number>(2);
    keys.set('a', 1);
    keys.set('b', 2);
    keys.set('b', 3);
    assert.deepEqual([keys.get('a'), keys.get('b')], [1, 3]);
  });
});
