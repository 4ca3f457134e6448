import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { runHarness } from '../support/chaos/harness.js';
import { makePlan } from '../support/chaos/plan.js';
import { isGood, summaryLines } from '../support/chaos/summary.js';

/** Strikes an agent, everything at once, and a sidecar in both ways; script/chaos does more of it, for longer. */
const PLAN = makePlan({ seed: 1, lives: 2, strikes: 4, gapMs: 8_000 });

describe('the kill harness', function () {
  this.timeout(480_000);

  it('brings two lives through strikes: each ends with one pull request, with every comment told once and answered', async () => {
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
});
