import assert from 'node:assert/strict';
import fc from 'fast-check';
import { SlidingWindow } from '../../../../src/domain/base/sliding-window.js';

describe('SlidingWindow', () => {
  it('never lets more than the limit through in any minute, and always exactly what fits', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.array(fc.integer({ min: 0, max: 30_000 })),
        (limit, gaps) => {
          let now = 0;
          const taken: number[] = [];
          const window = new SlidingWindow(limit, () => now);
          for (const gap of gaps) {
            now += gap;
            const inWindow = taken.filter((time) => time > now - 60_000);
            const wait = window.take();
            assert.equal(wait === 0, inWindow.length < limit);
            if (wait === 0) taken.push(now);
            else assert.equal(now + wait, (inWindow[0] ?? NaN) + 60_000);
          }
        },
      ),
    );
  });

  it('takes one again when the first is a minute old, to the millisecond', () => {
    let now = 1_000;
    const window = new SlidingWindow(1, () => now);
    assert.equal(window.take(), 0);
    now += 59_999;
    assert.equal(window.take(), 1);
    now += 1;
    assert.equal(window.take(), 0);
  });
});
