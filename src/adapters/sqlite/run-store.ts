import type { RunStore } from '../../domain/run/stores.js';
import { jsonObject, stringList } from './json-column.js';
import type { StateDb } from './state-tables.js';
import { columnsOf } from './written-columns.js';

/** Far below the most values that one statement may have. */
const ROWS_AT_ONCE = 500;

/** Tables `run`, `turn` and `operation` (append-only, the first row of a key stays). Errors: `StoreError`. */
export function createRunStore(db: StateDb): RunStore {
  return {
    appendRun: async (row) => {
      await db
        .insertInto('run')
        .values(columnsOf('run', { ...row, bottleNames: JSON.stringify(row.bottleNames) }))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    appendTurn: async (row) => {
      await db
        .insertInto('turn')
        .values(columnsOf('turn', { ...row, detail: JSON.stringify(row.detail) }))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    appendOperations: async (rows) => {
      for (let at = 0; at < rows.length; at += ROWS_AT_ONCE)
        await db
          .insertInto('operation')
          .values(rows.slice(at, at + ROWS_AT_ONCE).map((row) => columnsOf('operation', row)))
          .onConflict((conflict) => conflict.doNothing())
          .execute();
    },
    run: async (slug) => {
      const stored = await db.selectFrom('run').selectAll().where('slug', '=', slug).executeTakeFirst();
      return (
        stored && { ...stored, bottleNames: stringList(stored.bottleNames, `bottle_names of ${slug} in run`) }
      );
    },
    turns: async (slug) => {
      const stored = await db
        .selectFrom('turn')
        .selectAll()
        .where('slug', '=', slug)
        .orderBy('turn')
        .orderBy('event')
        .execute();
      return stored.map((row) => ({
        ...row,
        detail: jsonObject(row.detail, `detail of turn ${String(row.turn)} of ${slug} in turn`),
      }));
    },
    operations: (slug) =>
      db
        .selectFrom('operation')
        .select(['slug', 'turn', 'id', 'at', 'operation', 'target', 'outcome', 'text'])
        .where('slug', '=', slug)
        .orderBy('seq')
        .execute(),
  };
}
