import assert from 'node:assert/strict';
import { mapLimited } from '../../../../src/domain/base/map-limited.js';

describe('work on many items', () => {
  /** How many were under way at once, and the results. */
  async function worked(count: number, limit: number): Promise<{ most: number; results: readonly string[] }> {
    let underWay = 0;
    let most = 0;
    const items = Array.from({ length: count }, (_, index) => index);
    const results = await mapLimited(items, limit, async (item) => {
      underWay += 1;
      most = Math.max(most, underWay);
      // The later an item, the sooner it is done.
      for (let left = count - item; left > 0; left -= 1) await Promise.resolve();
      underWay -= 1;
      return `r${String(item)}`;
    });
    return { most, results };
  }

  it('is done for so many at once, and for each once', async () => {
    for (const [count, limit, most] of [
      [7, 3, 3],
      [2, 3, 2],
      [3, 3, 3],
      [4, 1, 1],
    ] as const)
      assert.equal((await worked(count, limit)).most, most, `${String(count)} by ${String(limit)}`);
  });

  it('gives results in the order of the items, whichever was done first', async () => {
    assert.deepEqual((await worked(5, 3)).results, ['r0', 'r1', 'r2', 'r3', 'r4']);
    assert.deepEqual((await worked(0, 3)).results, []);
  });

  it('fails with the first failure', async () => {
    const work = (item: number): Promise<number> =>
      item === 2 ? Promise.reject(new Error(`no ${String(item)}`)) : Promise.resolve(item);
    await assert.rejects(mapLimited([1, 2, 3], 2, work), /no 2/);
  });
});
