import assert from 'node:assert/strict';
import type { ReportedUse } from '../../../../src/domain/agent/agent-stream.js';
import { reportedOfTurn } from '../../../../src/domain/agent/reported-use.js';

const use = (
  inputTokens: number,
  cachedTokens: number,
  outputTokens: number,
  usd: number | null,
): ReportedUse => ({
  inputTokens,
  cachedTokens,
  outputTokens,
  usd,
});

describe('what a CLI printed about a turn', () => {
  const before = use(100, 40, 10, 0.1);
  const now = use(150, 45, 30, 0.3);

  for (const [tokensOf, costOf, expected] of [
    ['turn', 'turn', now],
    ['session', 'session', use(50, 5, 20, 0.2)],
    ['session', 'turn', use(50, 5, 20, 0.3)],
    ['turn', 'session', use(150, 45, 30, 0.2)],
  ] as const)
    it(`is what the turn took where tokens are of the ${tokensOf} and cost of the ${costOf}`, () => {
      assert.deepEqual(reportedOfTurn({ use: now, tokensOf, costOf }, before), expected);
    });

  const session = { tokensOf: 'session', costOf: 'session' } as const;

  it('is all of it in the first turn of a session', () => {
    assert.deepEqual(reportedOfTurn({ use: now, ...session }, null), now);
  });

  it('is nothing where the session went on without any', () => {
    assert.deepEqual(reportedOfTurn({ use: now, ...session }, now), use(0, 0, 0, 0));
  });

  it('is what is printed where the CLI began to count anew, each figure by itself', () => {
    assert.deepEqual(reportedOfTurn({ use: use(120, 3, 5, 0.05), ...session }, before), use(20, 3, 5, 0.05));
  });

  it('has no cost where the CLI says none, and all of it where it said none before', () => {
    assert.equal(reportedOfTurn({ use: { ...now, usd: null }, ...session }, before).usd, null);
    assert.equal(reportedOfTurn({ use: now, ...session }, { ...before, usd: null }).usd, 0.3);
  });
});
