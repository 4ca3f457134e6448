import assert from 'node:assert/strict';
import { frozenCost } from '../../../bench/frozen-cost.js';

describe('the cost of frozen issues', function () {
  this.timeout(240_000);

  it('is measured on issues that came through webhook, Temporal and worker to their freeze', async () => {
    const figures = await frozenCost(3);
    assert.equal(figures.frozen_processes.value, 0);
    assert.equal(figures.frozen_open_activities.value, 0);
    assert.ok(figures.frozen_timers.value <= 1);
    const { frozen_temporal_kib: temporal, frozen_store_kib: store } = figures;
    // A history of two dozen events has more than this; pages begun for the first issues weigh on three.
    assert.ok(temporal.value > 5 && temporal.value < 200, String(temporal.value));
    assert.match(
      temporal.notes.join('\n'),
      /workflowExecutionUpdateCompleted 1/,
      'the agent opened its pull request',
    );
    assert.ok(store.value > 1 && store.value < 40, String(store.value));
    assert.match(store.notes.join('\n'), /turns\/1\/operations\.jsonl \d{3} bytes/);
    assert.doesNotMatch(store.notes.join('\n'), /refs\.bundle/, 'the turn’s input is gone');
  });
});
