import assert from 'node:assert/strict';
import SqliteDatabase from 'better-sqlite3';
import { createRunStore } from '../../../src/adapters/sqlite/run-store.js';
import type { OperationRow, RunRow, TurnRow } from '../../../src/domain/run/rows.js';
import { queryPlans } from '../../support/webhook/query-plans.js';
import { stateRow } from '../../support/webhook/rows.js';
import { useNewPaths } from '../../support/webhook/temp-dir.js';
import { useDatabase } from '../../support/webhook/use-database.js';

const run: RunRow = {
  slug: 's-1',
  workflowId: 'gitea:alice/demo#1',
  subject: 'gitea:alice/demo#1',
  agentName: 'coder',
  bottleNames: ['default'],
  triggerActor: 'alice',
  triggerAt: 1,
  triggerActId: 3,
  createdAt: 2,
};
const turn = (number: number, event: TurnRow['event'], detail: TurnRow['detail'] = {}): TurnRow => ({
  slug: 's-1',
  turn: number,
  event,
  at: number,
  detail,
});
const operation = (id: string, text = 'read issue #1'): OperationRow => ({
  slug: 's-1',
  turn: 1,
  id,
  at: 5,
  operation: 'read_issue',
  target: '#1',
  outcome: 'ok',
  text,
});

describe('run, turn and operation rows in SQLite', () => {
  const newPath = useNewPaths();
  let file: string;
  const database = useDatabase(() => (file = newPath()));

  it('adds up the runs that go on, without a look at every turn', async () => {
    await database().runs.appendRun({ ...run, slug: 'b-2' });
    for (const [slug, issueNumber, status] of [
      ['b-2', 2, 'frozen'],
      ['a-1', 1, 'running'],
      ['c-3', 3, 'destroyed'],
    ] as const)
      await database().forgeState.upsert(
        stateRow({ slug, issueNumber, status, phase: status, reason: null }),
      );
    const used = (microUsd: number, sessionId: string): TurnRow['detail'] => ({
      ...{ sessionId, model: { use: { microUsd } } },
    });
    for (const row of [turn(1, 'ended', used(5, 's')), turn(2, 'ended', used(7, 't')), turn(3, 'begun')])
      await database().runs.appendTurn({ ...row, slug: 'b-2' });
    await database().sessions.update('b-2', 9);
    const known = { phase: 'running', reason: null, createdAt: null, turn: 0, microUsd: 0 };
    assert.deepEqual(await database().runs.overview(), [
      { ...known, slug: 'a-1', workflowId: 'gitea:alice/demo#1' },
      {
        slug: 'b-2',
        workflowId: 'gitea:alice/demo#2',
        ...known,
        phase: 'frozen',
        createdAt: 2,
        turn: 3,
        microUsd: 12,
      },
    ]);
    const nothingIsAdded = () => Promise.reject(new Error('nothing is added'));
    const [plan = []] = await queryPlans(file, (db) => createRunStore(db, nothingIsAdded).overview());
    assert.ok(plan.length > 2);
    for (const detail of plan) assert.doesNotMatch(detail, /^SCAN/);
  });

  it('gives back what was appended, in order', async () => {
    await database().runs.appendRun(run);
    for (const row of [turn(10, 'begun'), turn(2, 'ended', { exitCode: 0 }), turn(2, 'begun')])
      await database().runs.appendTurn(row);
    await database().runs.appendOperations([operation('b'), operation('a')]);
    assert.deepEqual(await database().runs.run('s-1'), run);
    assert.deepEqual(await database().runs.turns('s-1'), [
      turn(2, 'begun'),
      turn(2, 'ended', { exitCode: 0 }),
      turn(10, 'begun'),
    ]);
    assert.deepEqual(await database().runs.operations('s-1'), [operation('b'), operation('a')]);
    assert.equal(await database().runs.run('s-2'), undefined);
    assert.deepEqual(await database().runs.turns('s-2'), []);
  });

  it('makes no second row of a repeated append, and the first one stays', async () => {
    await database().runs.appendRun(run);
    await database().runs.appendRun({ ...run, agentName: 'other' });
    await database().runs.appendTurn(turn(1, 'ended', { exitCode: 0 }));
    await database().runs.appendTurn(turn(1, 'ended', { exitCode: 1 }));
    await database().runs.appendOperations([operation('a')]);
    await database().runs.appendOperations([operation('a', 'other'), operation('b')]);
    assert.equal((await database().runs.run('s-1'))?.agentName, 'coder');
    assert.deepEqual(await database().runs.turns('s-1'), [turn(1, 'ended', { exitCode: 0 })]);
    assert.deepEqual(await database().runs.operations('s-1'), [operation('a'), operation('b')]);
  });

  it('lets nobody change or remove an appended row, also of proposals and of what operators did', async () => {
    const { runs, proposals, operatorLog } = database();
    const key = { slug: 's-1', workflowId: 'gitea:alice/demo#1', at: 1 };
    await runs.appendRun(run);
    await runs.appendTurn(turn(1, 'begun'));
    await runs.appendOperations([operation('a')]);
    await proposals.add({ ...key, id: 'p', tool: 'pipelock-block', turn: 1, ref: 'r', origin: 'agent' });
    await proposals.decide({ ...key, id: 'p', status: 'approved', who: 'alice', ref: 'r', notesRef: null });
    await operatorLog.append({ ...key, id: 'c', who: 'alice', kind: 'extend', detail: {} });
    const other = new SqliteDatabase(file);
    for (const table of ['run', 'turn', 'operation', 'proposal', 'proposal_decision', 'operator_command'])
      for (const sql of [`UPDATE ${table} SET slug = 'x'`, `DELETE FROM ${table}`])
        assert.throws(() => other.exec(sql), /append-only/, sql);
    other.close();
    assert.equal((await database().runs.operations('s-1')).length, 1);
  });
});
