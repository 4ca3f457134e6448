import type { Stores } from '../../domain/run/stores.js';
import { createChangeFeed } from './change-feed.js';
import { createForgeStateStore } from './forge-state-store.js';
import { createNoticeTable } from './notice-table.js';
import { createOperatorLog } from './operator-log.js';
import { createPauseTable } from './pause-table.js';
import { createProposalStore } from './proposal-store.js';
import { createProvenanceStore } from './record/provenance-store.js';
import { createRunList } from './run-list.js';
import { createRunStore } from './run-store.js';
import { createSessionStore } from './session-store.js';
import type { RecordRows } from './record/recorder.js';
import type { StateDb } from './state-tables.js';

/**
 * @param db the database, or a transaction that all of them are in
 * @param record writes in the same one
 */
export function createStores(db: StateDb, record: RecordRows): Stores {
  return {
    changes: createChangeFeed(db),
    forgeState: createForgeStateStore(db),
    runs: createRunStore(db, record),
    runList: createRunList(db),
    sessions: createSessionStore(db),
    operatorLog: createOperatorLog(db, record),
    pauses: createPauseTable(db),
    proposals: createProposalStore(db, record),
    notices: createNoticeTable(db),
    provenance: createProvenanceStore(db),
  };
}
