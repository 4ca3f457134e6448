import type { Database as Connection } from 'better-sqlite3';
import type { PauseRow } from '../../domain/run/pause.js';
import type { PauseTable } from '../../domain/run/stores.js';

/** Table `pause`. */
export function createPauseTable(connection: Connection): PauseTable {
  const insert = connection.prepare<[PauseRow]>('INSERT OR IGNORE INTO pause VALUES (@scope, @since, @who)');
  const remove = connection.prepare<[string]>('DELETE FROM pause WHERE scope = ?');
  const select = connection.prepare<[], PauseRow>('SELECT scope, since, who FROM pause ORDER BY scope');
  return {
    add: (row) => insert.run(row).changes > 0,
    remove: (scope) => remove.run(scope).changes > 0,
    all: () => select.all(),
  };
}
