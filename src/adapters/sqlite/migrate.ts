import type { Database as Connection } from 'better-sqlite3';
import { StoreError } from './store-error.js';

/** One step of a schema: the SQL that leads from version `version - 1` to `version`. Never edited once released. */
export interface Migration {
  readonly version: number;
  readonly sql: string;
}

/** `PRAGMA user_version`: 0 is a file without a schema. */
export function schemaVersion(connection: Connection): number {
  return Number(connection.pragma('user_version', { simple: true }));
}

/** The version the migrations lead to. */
export function latestVersion(migrations: readonly Migration[]): number {
  return migrations.reduce((latest, migration) => Math.max(latest, migration.version), 0);
}

/** Reads only. Errors: `StoreError` when the file was written by a newer version of the program. */
export function assertKnownVersion(
  connection: Connection,
  migrations: readonly Migration[],
  file: string,
): number {
  const found = schemaVersion(connection);
  const known = latestVersion(migrations);
  if (found > known) {
    throw new StoreError(
      `${file} has schema version ${String(found)}, this program knows up to ${String(known)}: ` +
        'run the newer program, or restore the backup made before it was installed',
    );
  }
  return found;
}

/** Runs what is missing, all in one transaction; of several processes that try at once, one does it. */
export function migrate(connection: Connection, migrations: readonly Migration[], file: string): void {
  if (assertKnownVersion(connection, migrations, file) === latestVersion(migrations)) return;
  connection
    .transaction(() => {
      // Read again under the write lock: another process may have migrated since.
      const from = assertKnownVersion(connection, migrations, file);
      for (const migration of migrations) {
        if (migration.version <= from) continue;
        connection.exec(migration.sql);
        connection.pragma(`user_version = ${String(migration.version)}`);
      }
    })
    .immediate();
}
