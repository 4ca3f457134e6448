import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AtMost } from '../../../../src/bundle/base/at-most.js';

describe('AtMost', () => {
  it('begins what waits when something ends, also badly, in the order of the calls', async () => {
    const atMost = new AtMost(2);
    const begun: string[] = [];
    const ends = new Map<string, (error?: Error) => void>();
    const work = (name: string): Promise<string> =>
      atMost.work(
        () =>
          new Promise((resolve, reject) => {
            begun.push(name);
            ends.set(name, (error) => {
              if (error === undefined) resolve(name);
              else reject(error);
            });
          }),
      );
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(work);
    await nextTurn();
    assert.deepEqual(begun, ['a', 'b']);
    ends.get('b')?.(new Error('broke'));
    await assert.rejects(b ?? assert.fail(), /broke/);
    await nextTurn();
    assert.deepEqual(begun, ['a', 'b', 'c']);
    for (const name of ['a', 'c']) ends.get(name)?.();
    assert.deepEqual(await Promise.all([a, c]), ['a', 'c']);
    const e = work('e');
    await nextTurn();
    assert.deepEqual(begun, ['a', 'b', 'c', 'd', 'e']);
    const f = work('f');
    await nextTurn();
    assert.equal(begun.length, 5);
    ends.get('d')?.();
    await nextTurn();
    for (const name of ['e', 'f']) ends.get(name)?.();
    assert.deepEqual(await Promise.all([d, e, f]), ['d', 'e', 'f']);
  });
});
