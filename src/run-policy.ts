import type { Config } from './config.js';
import { DEFAULT_POLICY, type RunPolicy } from './domain/run-policy.js';

/** The settings that a life is held to, from its beginning on. */
export function policyOf(config: Config): RunPolicy {
  return {
    ...DEFAULT_POLICY,
    watchdogMs: config.FORGE_WATCHDOG_TIMEOUT,
    turnTimeoutMs: config.BOTTLE_TURN_TIMEOUT,
    doneGraceMs: config.BOTTLE_DONE_GRACE,
    nudges: config.BOTTLE_NUDGES,
  };
}
