import assert from 'node:assert/strict';
import SqliteDatabase from 'better-sqlite3';
import { openDatabase } from '../../../src/adapters/sqlite/open-database.js';
import { STATE_MIGRATIONS } from '../../../src/adapters/sqlite/state-migrations.js';
import { stateDb } from '../../../src/adapters/sqlite/state-tables.js';
import { WritingDialect } from '../../../src/adapters/sqlite/writing-dialect.js';
import type { NoticeRow } from '../../../src/domain/run/notices.js';
import type { Database } from '../../../src/domain/run/stores.js';
import { stateRow } from '../../support/webhook/rows.js';
import { useNewPaths, useTempDir } from '../../support/webhook/temp-dir.js';

const frozen = (changes: Parameters<typeof stateRow>[0] = {}): ReturnType<typeof stateRow> =>
  stateRow({ status: 'frozen', phase: 'frozen', reason: 'blocked', updatedAt: 100, ...changes });

describe('notices in SQLite', () => {
  const path = useTempDir();
  const newPath = useNewPaths();
  let file: string;
  let database: Database;

  beforeEach(async () => {
    file = newPath();
    database = await openDatabase(file);
  });
  afterEach(async () => {
    await database.close();
  });
  const since = async (): Promise<[string, number][]> =>
    (await database.notices.frozen(['blocked', 'stuck'])).map(({ slug, since: at }) => [slug, at]);

  it('know since when a run is frozen for its reason, however often its row is written', async () => {
    const { forgeState } = database;
    const { slug } = frozen();
    await forgeState.upsert(frozen());
    await forgeState.upsert(frozen({ updatedAt: 200, prNumber: 5 }));
    await forgeState.checkedIn(slug, 150, 9_000);
    assert.deepEqual(await since(), [[slug, 100]]);
    // The repository was renamed: the row goes, and comes under another key.
    await database.transaction(async (stores) => {
      await stores.forgeState.delete({ forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 });
      await stores.forgeState.upsert(frozen({ repo: 'renamed', updatedAt: 250, slug }));
    });
    assert.deepEqual(await since(), [[slug, 100]]);
    await forgeState.upsert(frozen({ repo: 'renamed', updatedAt: 300, reason: 'stuck', slug }));
    assert.deepEqual(await since(), [[slug, 300]]);
  });

  it('see that it went on, ended, or froze for what is nobody’s concern', async () => {
    const { forgeState, notices } = database;
    await forgeState.upsert(frozen());
    await forgeState.upsert(
      frozen({ status: 'running', phase: 'rehydrating', reason: null, updatedAt: 150 }),
    );
    assert.deepEqual(await since(), []);
    await forgeState.upsert(frozen({ updatedAt: 160 }));
    assert.deepEqual((await since())[0]?.[1], 160);
    await forgeState.upsert(frozen({ updatedAt: 170, reason: 'done' }));
    assert.deepEqual(await since(), []);
    await forgeState.upsert(frozen({ updatedAt: 180 }));
    // A new life of the same issue has the row.
    await forgeState.upsert(frozen({ updatedAt: 190, slug: 'another-run', status: 'running', reason: null }));
    assert.deepEqual(await notices.frozen(['blocked']), []);
  });

  it('take each thing once by hook, and forget what is over', async () => {
    const { notices } = database;
    const row: NoticeRow = {
      ...{ id: 'a', hook: 'command', state: 'failing', tries: 1, firstAt: 1, dueAt: 2 },
    };
    await notices.write([row, { ...row, hook: 'webhook' }, { ...row, id: 'b' }]);
    await notices.write([{ ...row, state: 'told', tries: 2 }]);
    await notices.forget('command', ['b', ...Array.from({ length: 1_200 }, (_, n) => `x${String(n)}`)]);
    assert.deepEqual(
      (await notices.all()).map(({ id, hook, state, tries }) => [id, hook, state, tries]).sort(),
      [
        ['a', 'command', 'told', 2],
        ['a', 'webhook', 'failing', 1],
      ],
    );
    // @ts-expect-error: there is no such state
    await assert.rejects(notices.write([{ ...row, state: 'lost' }]), /CHECK constraint/);
  });

  it('are added to a database of the version before, with the runs that are frozen there', async () => {
    const old = path('version-2.db');
    const connection = new SqliteDatabase(old);
    const db = stateDb(new WritingDialect(connection));
    for (const { up, version } of STATE_MIGRATIONS) if (version <= 2) await up(db, connection);
    connection.exec(`insert into forge_state (forge, owner, repo, issue_number, slug, agent_name, bottle_names,
      backend_name, agent_git_user, status, workflow_id, phase, reason, branch, issue_url, updated_at, epoch)
      values ('gitea', 'a', 'b', 1, 's-1', 'coder', '[]', 'docker', 'x', 'frozen', 'w', 'frozen', 'stuck', 'b', 'u', 42, 0)`);
    connection.pragma('user_version = 2');
    connection.close();
    const migrated = await openDatabase(old);
    assert.deepEqual(await migrated.notices.frozen(['stuck']), [
      { slug: 's-1', agentName: 'coder', issueUrl: 'u', reason: 'stuck', since: 42 },
    ]);
    await migrated.close();
  });
});
