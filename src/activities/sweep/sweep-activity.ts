import { Context } from '@temporalio/activity';
import type { SweepReport } from '../../domain/upkeep/sweep.js';
import { beating } from '../base/beating.js';
import { typedFailures } from '../base/failures.js';
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

/** The activity of the sweep's schedule: never two at once, though an attempt given up may still run. */
export function createSweepActivities(ports: SweepPorts): SweepActivities {
  let underWay = false;
  return {
    sweepHost: async ({ expected }) => {
      if (underWay) return BUSY;
      underWay = true;
      const { cancellationSignal } = Context.current();
      try {
        return await typedFailures(() => beating(() => sweepHost(ports, expected, cancellationSignal)));
      } finally {
        underWay = false;
      }
    },
  };
}
