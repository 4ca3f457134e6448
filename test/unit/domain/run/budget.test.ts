import assert from 'node:assert/strict';
import { amountsOfTurn, atMostBudget, dayOf, readUsd, usedUp } from '../../../../src/domain/run/budget.js';
import { NO_USE } from '../../../../src/domain/run/model-use.js';

describe('a budget', () => {
  it('is written in dollars with at most two decimals', () => {
    for (const [text, microUsd] of [
      ['1', 1_000_000],
      ['0.01', 10_000],
      ['1234567.5', 1_234_567_500_000],
      ['19.99', 19_990_000],
    ] as const)
      assert.equal(readUsd(text), microUsd, text);
    for (const none of [
      '',
      '0',
      '0.00',
      '-1',
      '1.',
      '1.234',
      '.5',
      '12345678',
      '1e3',
      ' 1',
      '1 ',
      'USD 1',
      '1,5',
    ])
      assert.equal(readUsd(none), undefined, none);
  });

  it('is used up when all of one kind is, and says which', () => {
    const budget = { turns: 3, tokens: 100, microUsd: 2_500_000 };
    const spent = { turns: 2, tokens: 99, microUsd: 2_499_999 };
    assert.equal(usedUp(spent, budget), null);
    assert.equal(usedUp({ ...spent, turns: 3 }, budget), '3 of 3 turns');
    assert.equal(usedUp({ ...spent, tokens: 100 }, budget), '100 of 100 tokens');
    assert.equal(usedUp({ ...spent, microUsd: 2_500_000 }, budget), '2.50 of 2.50 USD');
  });

  it('counts a turn without a model as a turn', () => {
    assert.deepEqual(amountsOfTurn(null), { turns: 1, tokens: 0, microUsd: 0 });
    const use = { ...NO_USE, outputTokens: 5, microUsd: 9 };
    assert.deepEqual(amountsOfTurn(use), { turns: 1, tokens: 5, microUsd: 9 });
  });

  it('is the lesser of two; one without a limit is none', () => {
    const both = atMostBudget({ tokens: 5, microUsd: null }, { tokens: 9, microUsd: 7 });
    assert.deepEqual(both, { tokens: 5, microUsd: 7 });
    const other = atMostBudget({ tokens: null, microUsd: 8 }, { tokens: null, microUsd: null });
    assert.deepEqual(other, { tokens: null, microUsd: 8 });
  });

  it('of a day begins at midnight, UTC', () => {
    const begins = Date.UTC(2026, 2, 4);
    const day = { begins, ends: Date.UTC(2026, 2, 5) };
    assert.deepEqual([dayOf(begins), dayOf(begins + 86_399_999)], [day, day]);
  });
});
