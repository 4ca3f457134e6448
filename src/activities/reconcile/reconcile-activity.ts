import { Context } from '@temporalio/activity';
import type { PassReport } from '../../domain/upkeep/reconcile.js';
import { beating } from '../base/beating.js';
import { typedFailures } from '../base/failures.js';
import type { ReconcileActivities } from '../ports/interface.js';
import type { ReconcilePorts } from './reconcile-ports.js';
import { reconcilePass } from './reconcile-pass.js';

const BUSY: PassReport = {
  end: 'busy',
  detail: 'the pass before is still under way',
  findings: 0,
  known: 0,
  requests: 0,
  durationMs: 0,
  cursor: null,
};

/** The activity of the reconciler's schedule: never two passes at once, though an attempt given up may still run. */
export function createReconcileActivities(ports: ReconcilePorts): ReconcileActivities {
  let underWay = false;
  return {
    reconcile: async () => {
      if (underWay) return BUSY;
      underWay = true;
      const { cancellationSignal } = Context.current();
      try {
        return await typedFailures(() => beating(() => reconcilePass(ports, cancellationSignal)));
      } finally {
        underWay = false;
      }
    },
  };
}
