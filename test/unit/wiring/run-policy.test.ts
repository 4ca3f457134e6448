import assert from 'node:assert/strict';
import { loadConfig } from '../../../src/config/load-config.js';
import { policyOf } from '../../../src/wiring/run-policy.js';

describe('what a life is held to', () => {
  it('is what the settings say', () => {
    const { config } = loadConfig({
      BOT_BOTTLE_HOME: '/nowhere',
      FORGE_WATCHDOG_TIMEOUT: '3s',
      BOTTLE_TURN_TIMEOUT: '4s',
      BOTTLE_DONE_GRACE: '5s',
      SUPERVISE_HOLD: '6s',
      BOTTLE_NUDGES: '7',
      BOTTLE_BUDGET_TURNS: '8',
      BOTTLE_SESSION_TURNS: '9',
      BOTTLE_SESSION_TOKENS: '10000',
      BOTTLE_RESUME_LIMITED: 'false',
    });
    const {
      watchdogMs,
      turnTimeoutMs,
      doneGraceMs,
      superviseHoldMs,
      nudges,
      budget,
      session,
      resumeLimited,
    } = policyOf(config);
    assert.deepEqual([watchdogMs, turnTimeoutMs, doneGraceMs, superviseHoldMs], [3_000, 4_000, 5_000, 6_000]);
    assert.deepEqual(
      [nudges, budget.turns, session, resumeLimited],
      [7, 8, { turns: 9, tokens: 10_000 }, false],
    );
  });
});
