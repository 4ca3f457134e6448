import type { Database as Connection, Statement } from 'better-sqlite3';
import { CompiledQuery, SqliteDialect, SqliteDriver } from 'kysely';
import type { DatabaseConnection, Driver, SqliteDatabase as Source } from 'kysely';

/** More than there are; queries that name a list differ by its length. */
const MOST_STATEMENTS = 500;

/** For the process that writes: a transaction takes the write lock when it begins, so that what it has read still is so when it writes. */
export class WritingDialect extends SqliteDialect {
  constructor(private readonly database: Connection) {
    super({ database });
  }

  override createDriver(): Driver {
    return new WritingDriver(this.database);
  }
}

class WritingDriver extends SqliteDriver {
  constructor(private readonly database: Connection) {
    super({ database: preparingOnce(database) });
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /** On a full disk SQLite has already rolled back: a second time would hide why. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.database.inTransaction) await super.rollbackTransaction(connection);
  }
}

/** To prepare a statement takes as long as to run it. */
function preparingOnce(connection: Connection): Source {
  const prepared = new Map<string, Statement>();
  return {
    prepare: (sql) => {
      const known = prepared.get(sql);
      if (known !== undefined) return known;
      if (prepared.size === MOST_STATEMENTS) prepared.clear();
      const statement = connection.prepare(sql);
      prepared.set(sql, statement);
      return statement;
    },
    close: () => connection.close(),
  };
}
