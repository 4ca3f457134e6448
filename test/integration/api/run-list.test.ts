import SqliteDatabase from 'better-sqlite3';
import { SqliteDialect } from 'kysely';
import assert from 'node:assert/strict';
import { openDatabaseReadOnly } from '../../../src/adapters/sqlite/open-database-read-only.js';
import { openDatabase } from '../../../src/adapters/sqlite/open-database.js';
import { createRunList } from '../../../src/adapters/sqlite/run-list.js';
import { stateDb } from '../../../src/adapters/sqlite/state-tables.js';
import type { RunFilter } from '../../../src/domain/run/run-list.js';
import type { Database } from '../../../src/domain/run/stores.js';
import { stateRow } from '../../support/webhook/rows.js';
import { useTempDir } from '../../support/webhook/temp-dir.js';

describe('the list of runs in SQLite', () => {
  const path = useTempDir();
  let writer: Database;
  let reader: Database;

  const add = async (slug: string, createdAt: number, repo = 'demo', agentName = 'coder'): Promise<void> => {
    const subject = `alice/${repo}#1`;
    const trigger = { triggerActor: 'alice', triggerAt: 1, triggerActId: 1 };
    await writer.runs.appendRun({
      ...trigger,
      slug,
      workflowId: `gitea:${subject}`,
      subject,
      agentName,
      bottleNames: ['default'],
      createdAt,
    });
  };
  const slugs = async (filter: RunFilter): Promise<string[]> =>
    (await reader.runList.page(filter, 10)).map(({ slug }) => slug);

  before(async () => {
    writer = await openDatabase(path('state.db'));
    reader = openDatabaseReadOnly(path('state.db'));
    await add('a', 1);
    await add('b', 2);
    await add('c', 2, 'Demo-2');
    await add('d', 3, 'demo', 'other');
    await writer.forgeState.upsert(
      stateRow({ slug: 'b', phase: 'frozen', status: 'frozen', reason: 'stuck' }),
    );
  });
  after(async () => {
    await reader.close();
    await writer.close();
  });

  it('has the newest first, and filters', async () => {
    assert.deepEqual(await slugs({}), ['d', 'c', 'b', 'a']);
    assert.deepEqual(await slugs({ repo: { owner: 'alice', repo: 'demo' } }), ['d', 'b', 'a']);
    assert.deepEqual(await slugs({ repo: { owner: 'Alice', repo: 'DEMO' } }), ['d', 'b', 'a']);
    assert.deepEqual(await slugs({ agent: 'other' }), ['d']);
    assert.deepEqual(await slugs({ phase: 'frozen' }), ['b']);
    assert.deepEqual(await slugs({ reason: 'done' }), []);
    assert.deepEqual(await slugs({ since: 2, until: 3 }), ['c', 'b']);
    const [, , b, a] = await reader.runList.page({}, 10);
    assert.deepEqual([b?.reason, b?.bottleNames, a?.phase], ['stuck', ['default'], null]);
  });

  it('goes on where a page ended, whatever was added meanwhile', async () => {
    const first = await reader.runList.page({}, 2);
    await add('e', 4);
    const rest = await reader.runList.page({}, 10, first.at(-1));
    assert.deepEqual(
      [...first, ...rest].map(({ slug }) => slug),
      ['d', 'c', 'b', 'a'],
    );
  });

  it('stops when a page is full, however many there are', async () => {
    const asked: string[] = [];
    const connection = new SqliteDatabase(path('state.db'), { verbose: (sql) => asked.push(String(sql)) });
    const list = createRunList(stateDb(new SqliteDialect({ database: connection })));
    await list.page({}, 10);
    await list.page({ agent: 'coder' }, 10, { createdAt: 2, slug: 'c' });
    const plans = [...asked].map((sql) =>
      connection
        .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => detail)
        .join('; '),
    );
    connection.close();
    assert.match(plans[0] ?? '', /^SCAN run USING INDEX run_by_created_at_slug; /);
    assert.match(plans[1] ?? '', /^SEARCH run USING INDEX run_by_created_at_slug \(created_at<\?\); /);
    for (const plan of plans) assert.doesNotMatch(plan, /TEMP B-TREE/);
  });
});
