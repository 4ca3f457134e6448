import { CompiledQuery } from 'kysely';
import type { StateDb } from './state-tables.js';

/** For what every seal needs: to build and compile such a query takes longer than to run it. Errors: `StoreError`. */
export async function inSql<Row>(db: StateDb, query: string, values: readonly unknown[]): Promise<Row[]> {
  return (await db.executeQuery<Row>(CompiledQuery.raw(query, [...values]))).rows;
}
