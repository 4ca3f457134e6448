import type { PauseTable } from '../../domain/run/stores.js';
import type { StateDb } from './state-tables.js';

/** Table `pause`. */
export function createPauseTable(db: StateDb): PauseTable {
  return {
    add: async ({ scope, since, who }) => {
      const insert = db.insertInto('pause').values({ scope, since, who });
      const added = await insert.onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
      return (added.numInsertedOrUpdatedRows ?? 0n) > 0n;
    },
    remove: async (scope) => {
      const [removed] = await db.deleteFrom('pause').where('scope', '=', scope).execute();
      return (removed?.numDeletedRows ?? 0n) > 0n;
    },
    all: () => db.selectFrom('pause').selectAll().orderBy('scope').execute(),
  };
}
