import { Context } from '@temporalio/activity';
import type { SweepReport } from '../domain/sweep.js';
import { beating } from './beating.js';
import { typedFailures } from './failures.js';
import type { SweepActivities } from './interface.js';
import type { SweepPorts } from './sweep/carry-out.js';
import { sweepHost } from './sweep/sweep-host.js';

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
