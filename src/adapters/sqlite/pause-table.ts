import type { PauseTable } from '../../domain/run/stores.js';
import type { StateDb } from './state-tables.js';
import { insertNew } from './written-columns.js';

/** Table `pause`. */
export function createPauseTable(db: StateDb): PauseTable {
  return {
    add: async (row) => {
      const added = await insertNew(db, 'pause', row);
      return (added?.numInsertedOrUpdatedRows ?? 0n) > 0n;
    },
    remove: async (scope) => {
      const [removed] = await db.deleteFrom('pause').where('scope', '=', scope).execute();
      return (removed?.numDeletedRows ?? 0n) > 0n;
    },
    all: () => db.selectFrom('pause').selectAll().orderBy('scope').execute(),
  };
}
