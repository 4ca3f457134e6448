import SqliteDatabase from 'better-sqlite3';
import { SqliteDialect } from 'kysely';
import { stateDb, type StateDb } from '../../../src/adapters/sqlite/state-tables.js';

/** How SQLite goes about each query that `ask` makes, a line a step. */
export async function queryPlans(file: string, ask: (db: StateDb) => Promise<unknown>): Promise<string[][]> {
  const asked: string[] = [];
  const connection = new SqliteDatabase(file, { verbose: (sql) => asked.push(String(sql)) });
  try {
    await ask(stateDb(new SqliteDialect({ database: connection })));
    return [...asked].map((sql) =>
      connection
        .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => detail),
    );
  } finally {
    connection.close();
  }
}
