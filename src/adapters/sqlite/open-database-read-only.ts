import SqliteDatabase from 'better-sqlite3';
import type { Database as Connection } from 'better-sqlite3';
import { SqliteDialect } from 'kysely';
import type { SqliteDatabase as Source, SqliteStatement } from 'kysely';
import { existsSync } from 'node:fs';
import type { Database } from '../../domain/run/stores.js';
import { openForReading } from './connection.js';
import { latestVersion } from './migrate.js';
import { migrateState } from './open-database.js';
import type { RecordRows } from './record/recorder.js';
import { STATE_MIGRATIONS } from './state-migrations.js';
import { createStores } from './state-stores.js';
import { stateDb } from './state-tables.js';
import { StoreError } from './store-error.js';
import { WritingDialect } from './writing-dialect.js';

/**
 * `bot-bottle.db` for the processes that only look: webhook and CLI. Opened at the first read that finds a file with a
 * schema; until then it is simply empty, so the order in which processes start does not matter.
 * Errors: every write is a `StoreError`; a read of a file that is older (not yet migrated) or newer is one too.
 */
export function openDatabaseReadOnly(file: string): Database {
  const db = stateDb(new SqliteDialect({ database: () => Reader.of(file) }));
  const refuse: RecordRows = () => Promise.reject(readOnly(file));
  return {
    ...createStores(db, refuse),
    // One consistent view over several reads; a plain BEGIN, since there is nothing to write.
    transaction: (work) => db.transaction().execute((transaction) => work(createStores(transaction, refuse))),
    close: () => db.destroy(),
  };
}

/** The file once it has a schema; until then an empty database in its place. */
class Reader implements Source {
  private constructor(
    private readonly file: string,
    private readonly empty: Connection | undefined,
    private opened: Connection | undefined,
  ) {}

  static async of(file: string): Promise<Reader> {
    const opened = open(file);
    return new Reader(file, opened === undefined ? await emptyDatabase() : undefined, opened);
  }

  prepare(sql: string): SqliteStatement {
    // A transaction ends in the database that it began in.
    if (this.empty?.inTransaction !== true) this.opened ??= open(this.file);
    const connection = this.opened ?? this.empty;
    if (connection === undefined) throw new StoreError(`${this.file} is closed: the process is stopping`);
    const statement = connection.prepare(sql);
    return {
      reader: statement.reader,
      all: (parameters) => this.reading(() => statement.all(...parameters)),
      iterate: (parameters) => statement.iterate(...parameters),
      run: (parameters) => this.reading(() => statement.run(...parameters)),
    };
  }

  private reading<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof SqliteDatabase.SqliteError) || error.code !== 'SQLITE_READONLY') throw error;
      throw readOnly(this.file, error);
    }
  }

  close(): void {
    this.empty?.close();
    this.opened?.close();
  }
}

function readOnly(file: string, cause?: unknown): StoreError {
  return new StoreError(`${file} is open for reading only: only the worker writes it`, { cause });
}

async function emptyDatabase(): Promise<Connection> {
  const connection = new SqliteDatabase(':memory:');
  await migrateState(stateDb(new WritingDialect(connection)), connection, 'an empty database');
  connection.pragma('query_only = ON');
  return connection;
}

function open(file: string): Connection | undefined {
  if (!existsSync(file)) return undefined;
  const latest = latestVersion(STATE_MIGRATIONS);
  const { connection, version } = openForReading(file, latest);
  if (version === latest) return connection;
  connection.close();
  if (version === 0) return undefined;
  throw new StoreError(
    `${file} has schema version ${String(version)} of ${String(latest)}: start the worker, it migrates the file`,
    { retryable: true },
  );
}
