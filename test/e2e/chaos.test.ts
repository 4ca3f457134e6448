import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { runHarness } from '../support/chaos/harness.js';
import { makePlan } from '../support/chaos/plan.js';
import { isGood, summaryLines } from '../support/chaos/summary.js';

/** Strikes worker, sidecar, agent, Temporal; script/chaos does more of it, for longer. */
const PLAN = makePlan({ seed: 1, lives: 3, strikes: 6, gapMs: 8_000 });

describe('the kill harness', function () {
  this.timeout(480_000);

  it('brings three lives through strikes: each ends with one pull request, with every comment told once and answered', async () => {
    const lines: string[] = [];
    const outcome = await runHarness({
      plan: PLAN,
      signal: new AbortController().signal,
      say: (line) => lines.push(line),
    });
    // What is wrong stands first: a report cuts long messages off.
    const all = [...summaryLines(outcome, PLAN), ...lines].join('\n');
    assert.ok(isGood(outcome, PLAN), all);
    assert.ok(
      [...outcome.strikes].some(([kind, count]) => kind !== 'missed' && count > 0),
      all,
    );
    assert.ok(!existsSync(outcome.logs));
  });

  it('removes everything when it is interrupted', async () => {
    const interruption = new AbortController();
    const outcome = await runHarness({
      plan: PLAN,
      signal: interruption.signal,
      say: (line) => {
        if (line.includes('strike 1:')) interruption.abort();
      },
    });
    assert.deepEqual([outcome.left, outcome.ended], [[], 0]);
    assert.ok([...outcome.strikes.values()].some((count) => count > 0));
  });
});
