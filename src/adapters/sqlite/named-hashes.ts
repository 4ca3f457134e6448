import { existsSync } from 'node:fs';
import { openForReading } from './connection.js';
import { latestVersion } from './migrate.js';
import { STATE_MIGRATIONS } from './state-migrations.js';

const HASH = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g;

/**
 * Every SHA-256 in hex that stands anywhere in the database: what it names must be kept. Table by table and column by
 * column, so that a table of a later version is not forgotten. Errors: `StoreError`.
 */
export function namedHashes(file: string): Set<string> {
  const found = new Set<string>();
  if (!existsSync(file)) return found;
  const { connection } = openForReading(file, latestVersion(STATE_MIGRATIONS));
  try {
    const tables = connection
      .prepare<[], { name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .all();
    for (const { name } of tables) {
      const rows = connection.prepare<[], Readonly<Record<string, unknown>>>(
        `SELECT * FROM "${name.replaceAll('"', '""')}"`,
      );
      for (const row of rows.iterate()) {
        for (const value of Object.values(row)) {
          const text = Buffer.isBuffer(value) ? value.toString('latin1') : value;
          if (typeof text === 'string') for (const [hash] of text.matchAll(HASH)) found.add(hash);
        }
      }
    }
    return found;
  } finally {
    connection.close();
  }
}
