import type { Clock } from '../../domain/base/clock.js';
import type { RunStates } from '../../domain/run/run-states.js';
import { decideSweep } from '../../domain/upkeep/sweep-decisions.js';
import type { ExpectedRun, SweepAction } from '../../domain/upkeep/sweep.js';
import type { HostPorts } from '../ports/host-ports.js';
import { findRuns } from './find-runs.js';
import { lookUpRuns } from './look-up-runs.js';

export interface InspectPorts extends Pick<HostPorts, 'runtime' | 'files' | 'host'> {
  readonly runStates: RunStates;
  readonly clock: Clock;
  readonly archiveAfterMs: number | null;
}

/** What a sweep would do if it found everything for the second time; nothing is done. Empty when Temporal is away. */
export async function inspectHost(
  ports: InspectPorts,
  expected: readonly ExpectedRun[],
): Promise<readonly SweepAction[]> {
  const { runs, away } = await lookUpRuns(ports.runStates, await findRuns(ports, expected));
  if (away) return [];
  const terms = { now: ports.clock.now(), archiveAfterMs: ports.archiveAfterMs, host: ports.host };
  const { findings } = decideSweep(runs, new Set(), terms);
  return decideSweep(runs, new Set(findings), terms).actions;
}
