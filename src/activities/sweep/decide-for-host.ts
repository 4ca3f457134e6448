import type { Clock } from '../../domain/base/clock.js';
import type { RunStates } from '../../domain/run/run-states.js';
import { decideSweep, type SweepDecision } from '../../domain/upkeep/sweep-decisions.js';
import type { ExpectedRun } from '../../domain/upkeep/sweep.js';
import type { HostPorts } from '../ports/host-ports.js';
import { findRuns, type AroundLook } from './find-runs.js';
import { lookUpRuns } from './look-up-runs.js';

export interface DecidePorts extends Pick<HostPorts, 'runtime' | 'files' | 'host'> {
  readonly runStates: RunStates;
  readonly clock: Clock;
  /** How long a frozen run keeps its containers, milliseconds; `null`: for good. */
  readonly archiveAfterMs: number | null;
}

export interface HostDecision extends SweepDecision {
  /** Runs that were looked at. */
  readonly runs: number;
  /** Temporal is: nothing can be decided, and what was found before has to be found twice again. */
  readonly away: boolean;
}

/** As if everything had been found before: what the next sweeps will do. */
export const ALL_FOUND_BEFORE: Pick<ReadonlySet<string>, 'has'> = { has: () => true };

/**
 * What is to be done about what is on this host: by a sweep, which does it, and for `gc`, which shows it. Nothing is done
 * here. Errors: the engine's and the disk's when nothing can be found out.
 */
export async function decideForHost(
  ports: DecidePorts,
  expected: readonly ExpectedRun[],
  previous: Pick<ReadonlySet<string>, 'has'>,
  around?: AroundLook,
): Promise<HostDecision> {
  const { runs, away } = await lookUpRuns(ports.runStates, await findRuns(ports, expected, around));
  const { archiveAfterMs, host } = ports;
  const terms = { now: ports.clock.now(), archiveAfterMs, host };
  const decision = decideSweep(away ? [] : runs, previous, terms);
  return { ...decision, runs: runs.length, away };
}
