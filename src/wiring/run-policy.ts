import type { Config } from '../config/load-config.js';
import type { Amounts } from '../domain/run/budget.js';
import { DEFAULT_POLICY, type RunPolicy } from '../domain/run/run-policy.js';

/** The settings that a life is held to, from its beginning on. */
export function policyOf(config: Config): RunPolicy {
  return {
    ...DEFAULT_POLICY,
    watchdogMs: config.FORGE_WATCHDOG_TIMEOUT,
    turnTimeoutMs: config.BOTTLE_TURN_TIMEOUT,
    doneGraceMs: config.BOTTLE_DONE_GRACE,
    hostSilentMs: config.BOTTLE_HOST_SILENT,
    superviseHoldMs: config.SUPERVISE_HOLD,
    nudges: config.BOTTLE_NUDGES,
    budget: {
      turns: config.BOTTLE_BUDGET_TURNS,
      tokens: config.BOTTLE_BUDGET_TOKENS,
      microUsd: config.BOTTLE_BUDGET_USD,
    },
    session: { turns: config.BOTTLE_SESSION_TURNS, tokens: config.BOTTLE_SESSION_TOKENS },
    resumeLimited: config.BOTTLE_RESUME_LIMITED === 'true',
  };
}

/** What all runs together may use in a day; what is off is more than anybody uses. */
export function dayBudgetOf(config: Config): Amounts {
  const {
    BOTTLE_DAY_BUDGET_TURNS: turns,
    BOTTLE_DAY_BUDGET_TOKENS: tokens,
    BOTTLE_DAY_BUDGET_USD: microUsd,
  } = config;
  const most = Number.MAX_SAFE_INTEGER;
  return { turns: turns ?? most, tokens: tokens ?? most, microUsd: microUsd ?? most };
}
