import type { Amounts } from './budget.js';

/** The operator's settings that runs are held to. Milliseconds. */
export interface RunPolicy {
  readonly watchdogMs: number;
  readonly turnTimeoutMs: number;
  readonly doneGraceMs: number;
  /** A host whose worker takes nothing for so long is said to be silent. */
  readonly hostSilentMs: number;
  /** An agent's proposal is held open for so long; afterwards its next turn tells what came of it. */
  readonly superviseHoldMs: number;
  readonly nudges: number;
  readonly wakesPerHour: number;
  /** What the run may use in its life. */
  readonly budget: Amounts;
  /** What a session of the agent may hold before a fresh one takes its place. */
  readonly session: { readonly turns: number; readonly tokens: number };
  /** Go on by itself when the usage limit of the agent's provider ends. */
  readonly resumeLimited: boolean;
  /**
   * Beyond these in one execution the turn that runs is stopped: far below where the server ends an execution (51,200
   * events; 10,000 signals, which come first where a workflow task takes several; 2,000 Updates, of which each counts as five
   * signals), so that it can still be settled.
   */
  readonly maxEvents: number;
  readonly maxSignals: number;
}

export const DEFAULT_POLICY: RunPolicy = {
  watchdogMs: 30 * 60_000,
  turnTimeoutMs: 60 * 60_000,
  doneGraceMs: 20_000,
  // Longer than a worker takes to be replaced by a new one, which is no reason to call anybody.
  hostSilentMs: 2 * 60_000,
  superviseHoldMs: 4 * 60_000,
  nudges: 1,
  wakesPerHour: 10,
  budget: { turns: 20, tokens: 5_000_000, microUsd: 20_000_000 },
  session: { turns: 10, tokens: 3_000_000 },
  resumeLimited: true,
  maxEvents: 30_000,
  maxSignals: 8_000,
};
