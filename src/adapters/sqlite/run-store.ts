import type { Database as Connection } from 'better-sqlite3';
import type { RunStore } from '../../domain/run/stores.js';
import type { OperationRow, RunRow, TurnRow } from '../../domain/run/rows.js';
import { jsonObject, stringList } from './json-column.js';

interface StoredRun {
  readonly slug: string;
  readonly workflow_id: string;
  readonly subject: string;
  readonly agent_name: string;
  readonly bottle_names: string;
  readonly trigger_actor: string;
  readonly trigger_at: number;
  readonly created_at: number;
  readonly trigger_act_id: number;
}

interface StoredTurn {
  readonly slug: string;
  readonly turn: number;
  readonly event: TurnRow['event'];
  readonly at: number;
  readonly detail: string;
}

/** Tables `run`, `turn` and `operation` (append-only, the first row of a key stays). Errors: `StoreError`. */
export function createRunStore(connection: Connection): RunStore {
  const insertRun = connection.prepare<[StoredRun]>(`INSERT OR IGNORE INTO run VALUES
    (@slug, @workflow_id, @subject, @agent_name, @bottle_names, @trigger_actor, @trigger_at, @created_at, @trigger_act_id)`);
  const insertTurn = connection.prepare<[StoredTurn]>(
    'INSERT OR IGNORE INTO turn VALUES (@slug, @turn, @event, @at, @detail)',
  );
  const insertOperation = connection.prepare<[OperationRow]>(`INSERT OR IGNORE INTO operation
    (slug, turn, id, at, operation, target, outcome, text)
    VALUES (@slug, @turn, @id, @at, @operation, @target, @outcome, @text)`);
  const selectRun = connection.prepare<[string], StoredRun>('SELECT * FROM run WHERE slug = ?');
  const selectTurns = connection.prepare<[string], StoredTurn>(
    'SELECT * FROM turn WHERE slug = ? ORDER BY turn, event',
  );
  const selectOperations = connection.prepare<[string], OperationRow>(
    'SELECT slug, turn, id, at, operation, target, outcome, text FROM operation WHERE slug = ? ORDER BY seq',
  );
  const appendAll = connection.transaction((rows: readonly OperationRow[]) => {
    for (const row of rows) insertOperation.run(row);
  });
  return {
    appendRun: (row) => void insertRun.run(toStoredRun(row)),
    appendTurn: (row) => void insertTurn.run({ ...row, detail: JSON.stringify(row.detail) }),
    appendOperations: (rows) => {
      appendAll.immediate(rows);
    },
    run: (slug) => {
      const stored = selectRun.get(slug);
      return stored && fromStoredRun(stored);
    },
    turns: (slug) => selectTurns.all(slug).map(fromStoredTurn),
    operations: (slug) => selectOperations.all(slug),
  };
}

function toStoredRun(row: RunRow): StoredRun {
  return {
    slug: row.slug,
    workflow_id: row.workflowId,
    subject: row.subject,
    agent_name: row.agentName,
    bottle_names: JSON.stringify(row.bottleNames),
    trigger_actor: row.triggerActor,
    trigger_at: row.triggerAt,
    created_at: row.createdAt,
    trigger_act_id: row.triggerActId,
  };
}

function fromStoredRun(stored: StoredRun): RunRow {
  return {
    slug: stored.slug,
    workflowId: stored.workflow_id,
    subject: stored.subject,
    agentName: stored.agent_name,
    bottleNames: stringList(stored.bottle_names, `bottle_names of ${stored.slug} in run`),
    triggerActor: stored.trigger_actor,
    triggerAt: stored.trigger_at,
    triggerActId: stored.trigger_act_id,
    createdAt: stored.created_at,
  };
}

function fromStoredTurn(stored: StoredTurn): TurnRow {
  const where = `detail of turn ${String(stored.turn)} of ${stored.slug} in turn`;
  return { ...stored, detail: jsonObject(stored.detail, where) };
}
