import type { PassReport } from '../../domain/upkeep/reconcile.js';
import { typedFailures } from '../base/failures.js';
import { oneAtATime } from '../base/one-at-a-time.js';
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

/** The activity of the reconciler's schedule. */
export function createReconcileActivities(ports: ReconcilePorts): ReconcileActivities {
  return typedFailures({ reconcile: oneAtATime(BUSY, (signal) => reconcilePass(ports, signal)) });
}
