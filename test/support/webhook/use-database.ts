import { openDatabase } from '../../../src/adapters/sqlite/open-database.js';
import type { Database } from '../../../src/domain/run/stores.js';
import { useNewPaths } from './temp-dir.js';

/** A real database for each test of a suite, new and closed after it. */
export function useDatabase(newPath = useNewPaths()): () => Database {
  let database: Database | undefined;
  beforeEach(async () => {
    database = await openDatabase(newPath());
  });
  afterEach(() => database?.close());
  return () => {
    if (database === undefined) throw new Error('there is a database once a test runs');
    return database;
  };
}
