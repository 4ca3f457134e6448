import type { OperatorLog } from '../../domain/run/stores.js';
import { jsonObject } from './json-column.js';
import type { StateDb } from './state-tables.js';
import type { RecordRows } from './record/recorder.js';

/** Table `operator_command` (append-only, the first row of an id stays). Errors: `StoreError`. */
export function createOperatorLog(db: StateDb, record: RecordRows): OperatorLog {
  return {
    append: async (row) => {
      await record('operatorCommand', { ...row, detail: JSON.stringify(row.detail) });
    },
    latest: async (limit, slug) => {
      const newest = db
        .selectFrom('operatorCommand')
        .select(['id', 'at', 'who', 'kind', 'detail', 'slug', 'workflowId'])
        .orderBy('seq', 'desc')
        .limit(limit);
      const stored = await (slug === undefined ? newest : newest.where('slug', '=', slug)).execute();
      return stored.map((row) => ({
        ...row,
        detail: jsonObject(row.detail, `detail of ${row.id} in operator_command`),
      }));
    },
  };
}
