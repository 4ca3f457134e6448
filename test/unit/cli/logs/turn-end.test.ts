import assert from 'node:assert/strict';
import { turnEndOf } from '../../../../src/cli/logs/turn-end.js';

describe('how a turn ended, by its row', () => {
  const row = { slug: 'coder-alice-demo-12-abcde', turn: 1, event: 'ended', at: 1_500 } as const;

  it('is what the worker wrote, and no more of it', () => {
    const reported = { inputTokens: 5, cachedTokens: 0, outputTokens: 1, usd: null };
    const use = {
      ...{ requests: 1, failed: 0, inputTokens: 4, cacheReadTokens: 1 },
      ...{ cacheWriteTokens: 0, outputTokens: 1, microUsd: 7 },
    };
    const detail = {
      ...{ exitCode: 143, reason: 'timeout', stopped: 'timeout', host: 'desk', egress: null },
      done: { status: 'success', summary: 'made it' },
      agent: { outcome: 'stopped', errorRef: null, reported, toolCalls: 2, denials: 0 },
      model: { use, trouble: null },
    };
    assert.deepEqual(turnEndOf({ ...row, detail }), {
      ...{ at: 1_500, exitCode: 143, reason: 'timeout', outcome: 'stopped' },
      ...{ done: 'success', stopped: 'timeout', reported, metered: use },
    });
  });

  it('says nothing of what stands in no row, or as nothing', () => {
    const nothing = { exitCode: null, reason: null, outcome: null, done: null, stopped: null };
    for (const detail of [{}, { done: null, stopped: null, model: null, agent: {} }])
      assert.deepEqual(turnEndOf({ ...row, detail }), {
        ...{ at: 1_500, reported: null, metered: null },
        ...nothing,
      });
  });
});
