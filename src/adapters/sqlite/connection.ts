import SqliteDatabase from 'better-sqlite3';
import type { Database as Connection } from 'better-sqlite3';
import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../../domain/base/message-of.js';
import { assertKnownVersion, latestVersion, migrate } from './migrate.js';
import type { Migration } from './migrate.js';
import { StoreError } from './store-error.js';

const BUSY_TIMEOUT_MS = 2000;

export interface Tuning {
  /** Bytes. */
  readonly pageSize?: number;
  /** Pages in the write-ahead log at which a commit also copies them into the file. */
  readonly checkpointPages?: number;
}

/**
 * Opens a database file for writing: made with mode 0600 (its directory, if missing, with 0700), WAL, synchronous FULL
 * (a commit that was answered for survives a power cut), schema brought up to date.
 * Errors: `StoreError` when the file belongs to a newer version (it is then left exactly as it is) or cannot be opened.
 */
export function openForWriting(
  file: string,
  migrations: readonly Migration[],
  tuning: Tuning = {},
): Connection {
  const connection = openAsItIs(file, latestVersion(migrations), tuning);
  try {
    migrate(connection, migrations, file);
    return connection;
  } catch (error) {
    connection.close();
    throw cannotOpen(file, error);
  }
}

/** The same, with the schema left to the caller. @param known the latest version of it that this program knows */
export function openAsItIs(file: string, known: number, tuning: Tuning = {}): Connection {
  return guardOpen(file, () => {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // SQLite would make the file with the umask's mode; its -wal and -shm files then take the mode of the file itself.
    closeSync(openSync(file, 'a', 0o600));
    const connection = new SqliteDatabase(file, { timeout: BUSY_TIMEOUT_MS });
    try {
      assertKnownVersion(connection, known, file);
      chmodSync(file, 0o600);
      // Only a file that is still empty takes a page size.
      if (tuning.pageSize !== undefined) connection.pragma(`page_size = ${String(tuning.pageSize)}`);
      connection.pragma('journal_mode = WAL');
      connection.pragma('synchronous = FULL');
      if (tuning.checkpointPages !== undefined) {
        connection.pragma(`wal_autocheckpoint = ${String(tuning.checkpointPages)}`);
      }
      connection.pragma('foreign_keys = ON');
      // Without it a REPLACE would get past the triggers that keep the append-only tables append-only.
      connection.pragma('recursive_triggers = ON');
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  });
}

/**
 * Opens an existing file for reading, beside a process that writes it.
 * @param known the latest version of its schema that this program knows
 * Errors: `StoreError` when the file belongs to a newer version or cannot be opened.
 */
export function openForReading(file: string, known: number): { connection: Connection; version: number } {
  return guardOpen(file, () => {
    const connection = new SqliteDatabase(file, { readonly: true, timeout: BUSY_TIMEOUT_MS });
    try {
      return { connection, version: assertKnownVersion(connection, known, file) };
    } catch (error) {
      connection.close();
      throw error;
    }
  });
}

function guardOpen<T>(file: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    throw cannotOpen(file, error);
  }
}

export function cannotOpen(file: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const detail = messageOf(error);
  const code = error instanceof SqliteDatabase.SqliteError ? error.code : '';
  if (code === 'SQLITE_NOTADB')
    return new StoreError(
      `${file} is no database: restore it from a backup, or move it away, and a new one is made`,
      { cause: error },
    );
  const busy = code.startsWith('SQLITE_BUSY');
  return new StoreError(`${file} cannot be opened: ${detail}`, { retryable: busy, cause: error });
}
