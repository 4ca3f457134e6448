import type { Database } from '../../domain/run/stores.js';
import { openForWriting } from './connection.js';
import { createForgeStateStore } from './forge-state-store.js';
import { createOperatorLog } from './operator-log.js';
import { createPauseTable } from './pause-table.js';
import { createRunStore } from './run-store.js';
import { createSessionStore } from './session-store.js';
import { STATE_MIGRATIONS } from './schema.js';

/**
 * Opens `bot-bottle.db` for the one process kind that writes it (spec section 11), making and migrating it as needed.
 * Errors: `StoreError`.
 */
export function openDatabase(file: string): Database {
  const connection = openForWriting(file, STATE_MIGRATIONS);
  return {
    forgeState: createForgeStateStore(connection),
    runs: createRunStore(connection),
    sessions: createSessionStore(connection),
    operatorLog: createOperatorLog(connection),
    pauses: createPauseTable(connection),
    transaction: <T>(work: () => T): T => connection.transaction(work).immediate(),
    close: () => void connection.close(),
  };
}
