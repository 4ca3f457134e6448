import assert from 'node:assert/strict';
import { describeFigure, isMet, median, ratioFigure } from '../../../bench/base/figure.js';

describe('a benchmark’s figure', () => {
  it('is the median of the rounds’ own ratios, so that a slow moment of the machine weighs on both sides', () => {
    const rounds = [
      { measured: 100, floor: 50 },
      // Everything took ten times as long.
      { measured: 1000, floor: 500 },
      { measured: 90, floor: 60 },
    ];
    const figure = ratioFigure(rounds, { goal: 1.5, better: 'less', unit: 'ms' });
    assert.equal(figure.value, 2);
    assert.deepEqual(figure.parts, { measured: 100, floor: 60, unit: 'ms' });
    assert.deepEqual(figure.rounds, [2, 2, 1.5]);
  });

  it('takes the mean of the middle two of an even number of rounds', () => {
    assert.equal(median([4, 1, 3, 2]), 2.5);
  });

  it('is no figure when nothing, or no number, was measured', () => {
    assert.throws(() => median([]), RangeError);
    assert.throws(() => median([1, Number.NaN]), RangeError);
    assert.throws(() => ratioFigure([], { goal: 1, better: 'less', unit: 'ms' }), RangeError);
  });

  it('meets a goal from the side that is good', () => {
    const rounds = [{ measured: 8, floor: 10 }];
    assert.equal(isMet(ratioFigure(rounds, { goal: 0.8, better: 'more', unit: '/s' })), true);
    assert.equal(isMet(ratioFigure(rounds, { goal: 0.81, better: 'more', unit: '/s' })), false);
    assert.equal(isMet(ratioFigure(rounds, { goal: 0.79, better: 'less', unit: '/s' })), false);
  });

  it('is printed with the goal, both sides and every round', () => {
    const text = describeFigure(
      'x_ratio',
      ratioFigure([{ measured: 300, floor: 100 }], { goal: 1.5, better: 'less', unit: 'ms' }),
    );
    assert.match(text, /^x_ratio: 3 \(goal <= 1\.50: MISSED\) = measured 300 ms \/ floor 100 ms/);
    assert.match(text, /rounds: 3 \(from 3 to 3\)/);
  });
});
