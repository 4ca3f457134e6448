import { existsSync } from 'node:fs';
import type { RejectionLog } from '../../../domain/run/stores.js';
import type { RejectionRow } from '../../../domain/run/rows.js';
import { openForReading, openForWriting } from '../connection.js';
import { latestVersion } from '../migrate.js';
import { REJECTION_MIGRATIONS } from '../schema.js';

/** For an operator to look at, not a record: the oldest beyond this many go. */
export const REJECTIONS_KEPT = 1000;

/** `rejections.db`, a file of its own: the webhook process writes it, and that may not write `bot-bottle.db`. Errors: `StoreError`. */
export function openRejectionLog(file: string): RejectionLog {
  const connection = openForWriting(file, REJECTION_MIGRATIONS);
  const insert = connection.prepare<[RejectionRow]>(
    'INSERT OR IGNORE INTO rejection (subject, at, reason) VALUES (@subject, @at, @reason)',
  );
  const trim = connection.prepare<[number]>(
    'DELETE FROM rejection WHERE seq <= (SELECT max(seq) FROM rejection) - ?',
  );
  const add = connection.transaction((row: RejectionRow) => {
    if (insert.run(row).changes > 0) trim.run(REJECTIONS_KEPT);
  });
  return {
    add: (row) =>
      new Promise((resolve) => {
        add.immediate(row);
        resolve();
      }),
    close: () => Promise.resolve(void connection.close()),
  };
}

/** Newest first; none while there is no file. */
export function latestRejections(file: string, limit: number): RejectionRow[] {
  if (!existsSync(file)) return [];
  const { connection, version } = openForReading(file, latestVersion(REJECTION_MIGRATIONS));
  try {
    if (version === 0) return [];
    return connection
      .prepare<[number], RejectionRow>('SELECT subject, at, reason FROM rejection ORDER BY seq DESC LIMIT ?')
      .all(limit);
  } finally {
    connection.close();
  }
}
