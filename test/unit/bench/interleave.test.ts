import assert from 'node:assert/strict';
import { interleaved, percentile, spread } from '../../../bench/base/interleave.js';

describe('calls that take turns', () => {
  it('are timed one at a time, each way as often, and none is always first', async () => {
    let clock = 0;
    let underWay = 0;
    const order: string[] = [];
    const call = (way: string, took: number) => async (): Promise<void> => {
      underWay += 1;
      assert.equal(underWay, 1);
      order.push(way);
      await Promise.resolve();
      clock += took;
      underWay -= 1;
    };
    const calls = { a: call('a', 3), b: call('b', 5) };
    const times = await interleaved(['a', 'b'], calls, 3, () => clock);
    assert.deepEqual(times, { a: [3, 3, 3], b: [5, 5, 5] });
    assert.equal(order.join(''), 'abbaab');
  });

  it('fail with the first call that fails', async () => {
    const calls = { a: () => Promise.reject(new Error('away')) };
    await assert.rejects(interleaved(['a'], calls, 2), /away/);
  });
});

describe('a percentile', () => {
  it('is the smallest value that so many do not exceed', () => {
    const hundred = Array.from({ length: 100 }, (_value, at) => 100 - at);
    assert.equal(percentile(hundred, 0.99), 99);
    assert.equal(percentile(hundred, 1), 100);
    assert.equal(percentile([7, 1], 0.5), 1);
    assert.equal(percentile([7], 0.99), 7);
  });

  it('is none of nothing, or of what is no number', () => {
    assert.throws(() => percentile([], 0.99), RangeError);
    assert.throws(() => percentile([1, Number.NaN], 0.99), RangeError);
  });

  it('is printed with the median and the most', () => {
    assert.equal(spread([4, 1, 2, 3]), 'median 2.50, 95 % 4, 99 % 4, most 4 ms');
  });
});
