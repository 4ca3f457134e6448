import { SWEEP_IDLE, decideSweep } from '../../domain/upkeep/sweep-decisions.js';
import type { ExpectedRun, SweepEntry, SweepReport } from '../../domain/upkeep/sweep.js';
import { carryOut, type SweepPorts } from './carry-out.js';
import { SetAsideError } from '../../domain/run/under-way.js';
import { stepOfRun } from '../base/work-of-run.js';
import { findRuns, type AroundLook } from './find-runs.js';
import { lookUpRuns } from './look-up-runs.js';

/** Ending a run may take minutes: what is more waits for the next sweep. */
const MOST_ACTIONS = 50;

/**
 * Compares what is on this host with the workflows that are open, and puts right what does not fit. What was found is
 * kept for the next sweep before anything is done. Errors: the engine's and the disk's when nothing can be found out.
 */
export async function sweepHost(
  ports: SweepPorts,
  expected: readonly ExpectedRun[],
  signal: AbortSignal,
): Promise<SweepReport> {
  const began = ports.clock.now();
  const [found, previous] = await Promise.all([
    findRuns(ports, expected, notDeadly(ports)),
    ports.sweeps.load(),
  ]);
  const { runs, away } = await lookUpRuns(ports.runStates, found);
  const terms = { now: ports.clock.now(), archiveAfterMs: ports.archiveAfterMs, host: ports.host };
  const decision = away ? SWEEP_IDLE : decideSweep(runs, new Set(previous), terms);
  await ports.sweeps.save(decision.findings);
  const entries: SweepEntry[] = [];
  for (const action of decision.actions.slice(0, MOST_ACTIONS)) {
    if (signal.aborted) break;
    entries.push(await carryOut(ports, action));
  }
  const report: SweepReport = {
    end: away ? 'away' : 'done',
    runs: runs.length,
    waiting: decision.waiting,
    entries,
    scratchRemoved: await ports.git.removeLeftBehind(),
    durationMs: ports.clock.now() - began,
  };
  const { end, waiting, scratchRemoved, durationMs } = report;
  const fields = { end, runs: runs.length, waiting, acted: entries.length, scratchRemoved, durationMs };
  ports.log.info(fields, 'sweep');
  return report;
}

/** A run is left alone when the look at it kills worker after worker: the others are swept, and its own end removes it. */
function notDeadly({ underWay, log }: Pick<SweepPorts, 'underWay' | 'log'>): AroundLook {
  return async (slug, look) => {
    try {
      return await underWay.during(stepOfRun(slug, 'look'), look);
    } catch (error) {
      if (!(error instanceof SetAsideError)) throw error;
      log.warn({ slug, err: error }, 'not swept');
      return undefined;
    }
  };
}
