import assert from 'node:assert/strict';
import { DEFAULT_POLICY } from '../../../src/domain/run-policy.js';
import { isHistoryFull } from '../../../src/workflows/history-limit.js';

describe('the history of one execution', () => {
  for (const [whose, policy] of [
    ['the policy', DEFAULT_POLICY],
    ['a policy of before there were limits', {}],
  ] as const)
    it(`is full beyond 30,000 events or 8,000 signals, by ${whose}`, () => {
      assert.equal(isHistoryFull({ events: 30_000, signals: 8_000 }, policy), false);
      assert.equal(isHistoryFull({ events: 30_001, signals: 0 }, policy), true);
      assert.equal(isHistoryFull({ events: 0, signals: 8_001 }, policy), true);
    });
});
