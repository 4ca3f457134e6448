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
 * Each is made when it is asked for: a transaction needs one or two of them.
 *
 * @param db the database, or a transaction that all of them are in
 * @param record writes in the same one
 */
export function createStores(db: StateDb, record: RecordRows): Stores {
  return {
    get changes() {
      return createChangeFeed(db);
    },
    get forgeState() {
      return createForgeStateStore(db);
    },
    get runs() {
      return createRunStore(db, record);
    },
    get runList() {
      return createRunList(db);
    },
    get sessions() {
      return createSessionStore(db);
    },
    get operatorLog() {
      return createOperatorLog(db, record);
    },
    get pauses() {
      return createPauseTable(db);
    },
    get proposals() {
      return createProposalStore(db, record);
    },
    get notices() {
      return createNoticeTable(db);
    },
    get provenance() {
      return createProvenanceStore(db);
    },
  };
}
