import type { ExpectedRun, SweepEntry, SweepReport } from '../../domain/upkeep/sweep.js';
import { carryOut, type SweepPorts } from './carry-out.js';
import { SetAsideError } from '../../domain/run/under-way.js';
import { stepOfRun } from '../base/work-of-run.js';
import { decideForHost } from './decide-for-host.js';
import type { AroundLook } from './find-runs.js';

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
  const previous = new Set(await ports.sweeps.load());
  const decision = await decideForHost(ports, expected, previous, notDeadly(ports));
  const { runs, waiting } = decision;
  await ports.sweeps.save(decision.findings);
  const entries: SweepEntry[] = [];
  for (const action of decision.actions.slice(0, MOST_ACTIONS)) {
    if (signal.aborted) break;
    entries.push(await carryOut(ports, action, signal));
  }
  const report: SweepReport = {
    end: decision.away ? 'away' : 'done',
    ...{ runs, waiting },
    entries,
    scratchRemoved: await ports.git.removeLeftBehind(),
    durationMs: ports.clock.now() - began,
  };
  const { end, scratchRemoved, durationMs } = report;
  const fields = { end, runs, waiting, acted: entries.length, scratchRemoved, durationMs };
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
