import assert from 'node:assert/strict';
import SqliteDatabase from 'better-sqlite3';
import { createForgeStateStore } from '../../../src/adapters/sqlite/forge-state-store.js';
import { openDatabase } from '../../../src/adapters/sqlite/open-database.js';
import { StoreError } from '../../../src/adapters/sqlite/store-error.js';
import type { Database } from '../../../src/domain/run/stores.js';
import { stateRow } from '../../support/webhook/rows.js';
import { useTempDir } from '../../support/webhook/temp-dir.js';

const subject = (number: number) => ({ forge: 'gitea', owner: 'alice', repo: 'demo', number }) as const;

describe('forge state in SQLite', () => {
  const path = useTempDir();
  let count = 0;
  let file: string;
  let database: Database;

  beforeEach(() => {
    file = path(`state-${String((count += 1))}.db`);
    database = openDatabase(file);
  });
  afterEach(() => {
    database.close();
  });

  it('gives back every column of a row as it was written', () => {
    const full = stateRow({
      prNumber: 31,
      status: 'destroyed',
      lastCheckinAt: 1_700_000_000_123,
      reason: 'done',
      prUrl: 'https://forge.example/p/31',
      destroyedAt: 1_700_000_001_000,
    });
    const bare = stateRow({ issueNumber: 13, repoId: null, host: null, bottleNames: [] });
    database.forgeState.upsert(full);
    database.forgeState.upsert(bare);
    assert.deepEqual(database.forgeState.get(subject(12)), full);
    assert.deepEqual(database.forgeState.get(subject(13)), bare);
  });

  it('knows nothing of a subject that has no row', () => {
    database.forgeState.upsert(stateRow());
    assert.equal(database.forgeState.get(subject(1)), undefined);
    assert.equal(database.forgeState.get({ ...subject(12), repo: 'other' }), undefined);
  });

  it('finds the row of a run by its slug, until a later life takes it over', () => {
    database.forgeState.upsert(stateRow({ issueNumber: 1, slug: 'a-1' }));
    database.forgeState.upsert(stateRow({ issueNumber: 2, slug: 'a-2' }));
    assert.equal(database.forgeState.ofRun('a-2')?.issueNumber, 2);
    database.forgeState.upsert(stateRow({ issueNumber: 2, slug: 'a-3' }));
    assert.equal(database.forgeState.ofRun('a-2'), undefined);
    assert.equal(database.forgeState.ofRun('a-3')?.issueNumber, 2);
  });

  it('finds it without a look at the others', () => {
    const asked: string[] = [];
    const connection = new SqliteDatabase(file, { verbose: (sql) => asked.push(String(sql)) });
    try {
      createForgeStateStore(connection).ofRun('a-1');
      const [sql = ''] = asked;
      const plan = connection.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all();
      assert.match(plan[0]?.detail ?? '', /SEARCH forge_state USING INDEX forge_state_by_slug \(slug=\?\)/);
      assert.ok(!plan.some(({ detail }) => detail.includes('SCAN')), JSON.stringify(plan));
    } finally {
      connection.close();
    }
  });

  it('replaces the row of an earlier life', () => {
    database.forgeState.upsert(stateRow({ status: 'destroyed', prNumber: 4, destroyedAt: 5 }));
    const next = stateRow({ slug: 'coder-alice-demo-12-zzzzz' });
    database.forgeState.upsert(next);
    assert.deepEqual(database.forgeState.all(), [next]);
  });

  it('deletes twice without complaint', () => {
    database.forgeState.upsert(stateRow());
    database.forgeState.delete(subject(12));
    database.forgeState.delete(subject(12));
    assert.deepEqual(database.forgeState.all(), []);
  });

  it('lists rows by forge, owner, repository and number, not as text', () => {
    for (const [owner, repo, issueNumber] of [
      ['bob', 'a', 1],
      ['alice', 'z', 2],
      ['alice', 'demo', 10],
      ['alice', 'demo', 9],
    ] as const) {
      database.forgeState.upsert(stateRow({ owner, repo, issueNumber }));
    }
    const order = database.forgeState
      .all()
      .map((row) => `${row.owner}/${row.repo}#${String(row.issueNumber)}`);
    assert.deepEqual(order, ['alice/demo#9', 'alice/demo#10', 'alice/z#2', 'bob/a#1']);
  });

  it('notes when an agent was heard of: never backwards, and only of a run that is running', () => {
    const row = stateRow({ status: 'running', lastCheckinAt: null });
    const { slug } = row;
    database.forgeState.upsert(row);
    database.forgeState.upsert(stateRow({ issueNumber: 13, slug: 'other-1', status: 'running' }));
    const other = database.forgeState.ofRun('other-1');
    database.forgeState.checkedIn(slug, 2_000);
    database.forgeState.checkedIn(slug, 1_000);
    assert.deepEqual(database.forgeState.ofRun(slug), { ...row, lastCheckinAt: 2_000 });
    assert.deepEqual(database.forgeState.ofRun('other-1'), other);
    for (const status of ['frozen', 'destroyed'] as const) {
      const ended = { ...row, status, lastCheckinAt: 2_000 };
      database.forgeState.upsert(ended);
      database.forgeState.checkedIn(slug, 3_000);
      assert.deepEqual(database.forgeState.ofRun(slug), ended);
    }
    database.forgeState.checkedIn('nobody-1', 3_000);
    assert.equal(database.forgeState.all().length, 2);
  });

  it('lists the running ones alone', () => {
    for (const [index, status] of (['running', 'frozen', 'destroyed', 'running'] as const).entries())
      database.forgeState.upsert(
        stateRow({ issueNumber: index + 1, slug: `s-${String(index + 1)}`, status }),
      );
    assert.deepEqual(
      database.forgeState.running().map(({ issueNumber }) => issueNumber),
      [1, 4],
    );
  });

  it('refuses a status that is none', () => {
    // @ts-expect-error: not a status
    const wrong = stateRow({ status: 'launching' });
    assert.throws(() => {
      database.forgeState.upsert(wrong);
    }, /CHECK constraint failed/);
  });

  it('keeps rows for the next instance', () => {
    database.forgeState.upsert(stateRow());
    database.close();
    database = openDatabase(file);
    assert.deepEqual(database.forgeState.get(subject(12)), stateRow());
  });

  it('undoes everything of a transaction that throws', () => {
    assert.throws(
      () =>
        database.transaction(() => {
          database.forgeState.upsert(stateRow());
          database.runs.appendOperations([
            {
              slug: 's-1',
              turn: 1,
              id: 'o1',
              at: 1,
              operation: 'read_issue',
              target: '#1',
              outcome: 'ok',
              text: 'read #1',
            },
          ]);
          throw new Error('stop');
        }),
      /stop/,
    );
    assert.deepEqual(database.forgeState.all(), []);
    assert.deepEqual(database.runs.operations('s-1'), []);
  });

  it('names row and column of corrupt JSON', () => {
    database.forgeState.upsert(stateRow());
    const other = new SqliteDatabase(file);
    for (const text of ['{"a"', '{}', '[1]']) {
      other.prepare('UPDATE forge_state SET bottle_names = ?').run(text);
      const isClear = (error: unknown): boolean =>
        error instanceof StoreError && /bottle_names of gitea:alice\/demo#12 .* corrupt/.test(error.message);
      assert.throws(() => database.forgeState.get(subject(12)), isClear);
      assert.throws(() => database.forgeState.all(), isClear);
    }
    other.close();
  });
});
