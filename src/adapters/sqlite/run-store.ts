import type { RunStore } from '../../domain/run/stores.js';
import { inSql } from './in-sql.js';
import { jsonObject, stringList } from './json-column.js';
import type { StateDb, StateTables } from './state-tables.js';
import type { RecordRows } from './record/recorder.js';

const OVERVIEW_COLUMNS = [
  'forgeState.slug',
  'forgeState.workflowId',
  'forgeState.phase',
  'forgeState.reason',
  'run.createdAt',
] as const;

/** Tables `run`, `turn` and `operation` (append-only, the first row of a key stays). Errors: `StoreError`. */
export function createRunStore(db: StateDb, record: RecordRows): RunStore {
  return {
    appendRun: async (row) => {
      await record('run', { ...row, bottleNames: JSON.stringify(row.bottleNames) });
    },
    appendTurn: async (row) => {
      await record('turn', { ...row, detail: JSON.stringify(row.detail) });
    },
    appendOperations: async (rows) => {
      await record('operation', ...rows);
    },
    run: async (slug) => {
      const stored = await db.selectFrom('run').selectAll().where('slug', '=', slug).executeTakeFirst();
      return (
        stored && { ...stored, bottleNames: stringList(stored.bottleNames, `bottle_names of ${slug} in run`) }
      );
    },
    turns: async (slug) => {
      const query = 'select * from turn where slug = ? order by turn, event';
      const stored = await inSql<StateTables['turn']>(db, query, [slug]);
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
    overview: () =>
      db
        .selectFrom('forgeState')
        .leftJoin('run', 'run.slug', 'forgeState.slug')
        .select((row) => [
          ...OVERVIEW_COLUMNS,
          row.fn
            .coalesce(
              row
                .selectFrom('turn')
                .whereRef('turn.slug', '=', 'forgeState.slug')
                .select((turn) => turn.fn.max('turn.turn').as('last')),
              row.lit(0),
            )
            .as('turn'),
          row.fn
            .coalesce(
              row
                .selectFrom('session')
                .whereRef('session.slug', '=', 'forgeState.slug')
                .select((session) => session.fn.sum<number>('session.microUsd').as('all')),
              row.lit(0),
            )
            .as('microUsd'),
        ])
        .where('forgeState.status', 'in', ['running', 'frozen'])
        .orderBy('forgeState.slug')
        .execute(),
  };
}
