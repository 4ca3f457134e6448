import type { Database as Connection } from 'better-sqlite3';
import type { OperatorLog } from '../../domain/run/stores.js';
import type { OperatorCommandRow } from '../../domain/run/rows.js';
import { jsonObject } from './json-column.js';

interface StoredCommand {
  readonly id: string;
  readonly at: number;
  readonly who: string;
  readonly kind: string;
  readonly detail: string;
  readonly slug: string | null;
  readonly workflow_id: string;
}

const COLUMNS = 'id, at, who, kind, detail, slug, workflow_id';

/** Table `operator_command` (append-only, the first row of an id stays). Errors: `StoreError`. */
export function createOperatorLog(connection: Connection): OperatorLog {
  const insert = connection.prepare<[StoredCommand]>(
    `INSERT OR IGNORE INTO operator_command (${COLUMNS})
     VALUES (@id, @at, @who, @kind, @detail, @slug, @workflow_id)`,
  );
  const selectAll = connection.prepare<[number], StoredCommand>(
    `SELECT ${COLUMNS} FROM operator_command ORDER BY seq DESC LIMIT ?`,
  );
  const selectRun = connection.prepare<[string, number], StoredCommand>(
    `SELECT ${COLUMNS} FROM operator_command WHERE slug = ? ORDER BY seq DESC LIMIT ?`,
  );
  return {
    append: ({ workflowId, detail, ...row }) =>
      void insert.run({ ...row, detail: JSON.stringify(detail), workflow_id: workflowId }),
    latest: (limit, slug) =>
      (slug === undefined ? selectAll.all(limit) : selectRun.all(slug, limit)).map(fromStored),
  };
}

function fromStored({ workflow_id: workflowId, detail, ...row }: StoredCommand): OperatorCommandRow {
  return { ...row, workflowId, detail: jsonObject(detail, `detail of ${row.id} in operator_command`) };
}
