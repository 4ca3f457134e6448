import type { PreparedSync } from '../../domain/sync/sync.js';
import type { TurnResult } from '../../domain/run/turn.js';
import { beating } from '../base/beating.js';
import { typedFailures } from '../base/failures.js';
import { stepOfTurn } from '../base/work-of-run.js';
import type { Attachments } from '../turn/attachments.js';
import { prepareSync, type PrepareSyncInput } from './prepare-sync.js';
import { runSync, type RunSyncInput } from './run-sync.js';
import { settleSync, type SettledSync, type SettleSyncInput } from './settle-sync.js';
import type { SyncPorts } from './sync-ports.js';

/** On `bottles@<host>`; the first watching of a container on `turns@<host>`, where it holds a slot. */
export interface SyncActivities {
  readonly prepareSync: (input: PrepareSyncInput) => Promise<PreparedSync>;
  readonly runSync: (input: RunSyncInput) => Promise<TurnResult>;
  readonly reattachSync: (input: RunSyncInput) => Promise<TurnResult>;
  readonly settleSync: (input: SettleSyncInput) => Promise<SettledSync>;
}

export function createSyncActivities(ports: SyncPorts, attachments: Attachments): SyncActivities {
  const preparing = (slug: string) => stepOfTurn({ slug, turn: 1 }, 'prepare');
  const { underWay } = ports.host;
  return typedFailures({
    prepareSync: (input) =>
      beating(() => underWay.during(preparing(input.slug), () => prepareSync(ports, input))),
    runSync: (input) => runSync(ports, attachments, input, 'run'),
    reattachSync: (input) => runSync(ports, attachments, input, 'attach'),
    settleSync: (input) => beating((signal) => settleSync(ports, input, signal)),
  });
}
