import assert from 'node:assert/strict';
import { DEFAULT_POLICY } from '../../../src/domain/run/run-policy.js';
import { isHistoryFull } from '../../../src/workflows/history-limit.js';

describe('the history of one execution', () => {
  it('is full beyond 30,000 events or 8,000 signals', () => {
    assert.equal(isHistoryFull({ events: 30_000, signals: 8_000 }, DEFAULT_POLICY), false);
    assert.equal(isHistoryFull({ events: 30_001, signals: 0 }, DEFAULT_POLICY), true);
    assert.equal(isHistoryFull({ events: 0, signals: 8_001 }, DEFAULT_POLICY), true);
  });
});
