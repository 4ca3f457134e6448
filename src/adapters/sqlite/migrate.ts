import type { Database as Connection } from 'better-sqlite3';
import { StoreError } from './store-error.js';

/** One step of a schema: the SQL that leads from version `version - 1` to `version`. Never edited once released. */
export interface Migration {
  readonly version: number;
  readonly sql: string;
}

/** The version the migrations lead to. */
export function latestVersion(migrations: readonly { readonly version: number }[]): number {
  return migrations.reduce((latest, migration) => Math.max(latest, migration.version), 0);
}

/**
 * Columns of `bot-bottle.db` that earlier programs did not make: its versions had other numbers before there was a
 * `workflow_id`, and version 2 was another one before there was an `origin`.
 */
const UPGRADABLE = [
  ['forge_state', 'workflow_id'],
  ['proposal', 'origin'],
] as const;

/**
 * `PRAGMA user_version`, 0 for a file without a schema. Reads only.
 * Errors: `StoreError` when the file was written by a newer version of the program, or by one that is too old.
 */
export function assertKnownVersion(connection: Connection, known: number, file: string): number {
  if (UPGRADABLE.some(([table, column]) => isWithout(connection, table, column)))
    throw new StoreError(
      `${file} is older than the first version that can be upgraded: ` +
        'end its runs with the program that made it, then begin with a new home',
    );
  const found = Number(connection.pragma('user_version', { simple: true }));
  if (found > known) {
    throw new StoreError(
      `${file} has schema version ${String(found)}, this program knows up to ${String(known)}: ` +
        'run the newer program, or restore the backup made before it was installed',
    );
  }
  return found;
}

/** Whether there is the table, and it lacks the column. */
function isWithout(connection: Connection, table: string, column: string): boolean {
  const columns = connection.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table);
  return columns.length > 0 && !columns.includes(column);
}

export function setVersion(connection: Connection, version: number): void {
  connection.pragma(`user_version = ${String(version)}`);
}

/** Runs what is missing, all in one transaction; of several processes that try at once, one does it. */
export function migrate(connection: Connection, migrations: readonly Migration[], file: string): void {
  const latest = latestVersion(migrations);
  if (assertKnownVersion(connection, latest, file) === latest) return;
  connection
    .transaction(() => {
      // Read again under the write lock: another process may have migrated since.
      const from = assertKnownVersion(connection, latest, file);
      for (const migration of migrations) {
        if (migration.version <= from) continue;
        connection.exec(migration.sql);
        setVersion(connection, migration.version);
      }
    })
    .immediate();
}
