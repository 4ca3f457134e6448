import assert from 'node:assert/strict';
import { amountsOfTurn } from '../../../../src/domain/run/budget.js';
import { leftOf, NO_BUDGET, NO_USE, spentOf, tokensOf } from '../../../../src/domain/run/model-use.js';

describe('a budget', () => {
  const use = {
    ...NO_USE,
    inputTokens: 1,
    cacheReadTokens: 2,
    cacheWriteTokens: 3,
    outputTokens: 4,
    microUsd: 50,
  };

  it('counts all tokens, wherever they came from', () => {
    assert.equal(tokensOf(use), 10);
  });

  it('is used up when what was used has reached it', () => {
    assert.equal(spentOf(NO_BUDGET, use), undefined);
    assert.equal(spentOf({ tokens: 11, microUsd: 51 }, use), undefined);
    assert.equal(spentOf({ tokens: 10, microUsd: null }, use), 'tokens');
    assert.equal(spentOf({ tokens: null, microUsd: 50 }, use), 'money');
    assert.equal(spentOf({ tokens: 0, microUsd: null }, NO_USE), 'tokens');
  });

  it('leaves what was not used, and never less than nothing', () => {
    assert.deepEqual(leftOf({ tokens: 15, microUsd: 20 }, amountsOfTurn(use)), { tokens: 5, microUsd: 0 });
    assert.deepEqual(leftOf(NO_BUDGET, amountsOfTurn(use)), NO_BUDGET);
  });
});
