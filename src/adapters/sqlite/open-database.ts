import type { Database as Connection } from 'better-sqlite3';
import type { Database, Stores } from '../../domain/run/stores.js';
import { cannotOpen, openAsItIs } from './connection.js';
import { assertKnownVersion, latestVersion, setVersion } from './migrate.js';
import { Recorder, type RecordRows } from './record/recorder.js';
import { STATE_MIGRATIONS } from './state-migrations.js';
import { createStores } from './state-stores.js';
import { stateDb, type StateDb } from './state-tables.js';
import { WritingDialect } from './writing-dialect.js';

/**
 * Opens `bot-bottle.db` for the one process kind that writes it, making and migrating it as needed.
 * Errors: `StoreError`.
 */
export async function openDatabase(file: string): Promise<Database> {
  const connection = openAsItIs(file, latestVersion(STATE_MIGRATIONS));
  const db = stateDb(new WritingDialect(connection));
  try {
    await migrateState(db, connection, file);
  } catch (error) {
    connection.close();
    throw cannotOpen(file, error);
  }
  const recorder = new Recorder(connection);
  const stores = (at: StateDb): Stores => createStores(at, recordIn(at, recorder));
  return {
    ...stores(db),
    transaction: (work) => db.transaction().execute((transaction) => work(stores(transaction))),
    close: () => db.destroy(),
  };
}

/** The recorder knows nothing of who else has a transaction on the connection: it writes only in one of its own turn. */
function recordIn(db: StateDb, recorder: Recorder): RecordRows {
  return async (source, ...rows) => {
    if (db.isTransaction) recorder.append(source, rows);
    else await db.transaction().execute((transaction) => recordIn(transaction, recorder)(source, ...rows));
  };
}

/** Runs what is missing, all in one transaction; of several processes that try at once, one does it. */
export async function migrateState(db: StateDb, connection: Connection, file: string): Promise<void> {
  const latest = latestVersion(STATE_MIGRATIONS);
  if (assertKnownVersion(connection, latest, file) === latest) return;
  await db.transaction().execute(async (transaction) => {
    // Read again under the write lock: another process may have migrated since.
    const from = assertKnownVersion(connection, latest, file);
    for (const { version, up } of STATE_MIGRATIONS) {
      if (version <= from) continue;
      await up(transaction, connection);
      setVersion(connection, version);
    }
  });
}
