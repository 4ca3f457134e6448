import type { Database as Connection } from 'better-sqlite3';
import { CompiledQuery, SqliteDialect, SqliteDriver } from 'kysely';
import type { DatabaseConnection, Driver } from 'kysely';

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
    super({ database });
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /** On a full disk SQLite has already rolled back: a second time would hide why. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.database.inTransaction) await super.rollbackTransaction(connection);
  }
}
