import type { ExpectedRun, SweepReport } from '../../domain/upkeep/sweep.js';
import { typedFailures } from '../base/failures.js';
import { oneAtATime } from '../base/one-at-a-time.js';
import type { SweepActivities } from '../ports/interface.js';
import type { SweepPorts } from './carry-out.js';
import { sweepHost } from './sweep-host.js';

const BUSY: SweepReport = {
  end: 'busy',
  runs: 0,
  waiting: 0,
  entries: [],
  scratchRemoved: 0,
  durationMs: 0,
};

type Swept = { readonly expected: readonly ExpectedRun[] };

/** The activity of the sweep's schedule. */
export function createSweepActivities(ports: SweepPorts): SweepActivities {
  return typedFailures({
    sweepHost: oneAtATime(BUSY, (signal, { expected }: Swept) => sweepHost(ports, expected, signal)),
  });
}
