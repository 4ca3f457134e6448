import type { Database as Connection } from 'better-sqlite3';
import type { Database } from '../../domain/run/stores.js';
import { cannotOpen, openAsItIs } from './connection.js';
import { assertKnownVersion, latestVersion, setVersion } from './migrate.js';
import { STATE_MIGRATIONS } from './state-migrations.js';
import { createStores } from './state-stores.js';
import { stateDb, type StateDb } from './state-tables.js';
import { WritingDialect } from './writing-dialect.js';

/**
 * Opens `bot-bottle.db` for the one process kind that writes it (spec section 11), making and migrating it as needed.
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
  return {
    ...createStores(db),
    transaction: (work) => db.transaction().execute((transaction) => work(createStores(transaction))),
    close: () => db.destroy(),
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
      await up(transaction);
      setVersion(connection, version);
    }
  });
}
