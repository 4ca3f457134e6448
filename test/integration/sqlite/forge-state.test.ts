import assert from 'node:assert/strict';
import SqliteDatabase from 'better-sqlite3';
import { createForgeStateStore } from '../../../src/adapters/sqlite/forge-state-store.js';
import { openDatabase } from '../../../src/adapters/sqlite/open-database.js';
import { StoreError } from '../../../src/adapters/sqlite/store-error.js';
import type { ForgeStateRow } from '../../../src/domain/run/rows.js';
import { queryPlans } from '../../support/webhook/query-plans.js';
import { stateRow } from '../../support/webhook/rows.js';
import { useNewPaths } from '../../support/webhook/temp-dir.js';
import { useDatabase } from '../../support/webhook/use-database.js';

const subject = (number: number) => ({ forge: 'gitea', owner: 'alice', repo: 'demo', number }) as const;

const slugs = async (rows: Promise<ForgeStateRow[]>): Promise<string[]> =>
  (await rows).map(({ slug }) => slug).sort();

describe('forge state in SQLite', () => {
  const newPath = useNewPaths();
  let file: string;
  const database = useDatabase(() => (file = newPath()));
  const add = (changes: Partial<ForgeStateRow>): Promise<void> =>
    database().forgeState.upsert(stateRow(changes));

  it('gives back every column of a row as it was written', async () => {
    const full = stateRow({
      prNumber: 31,
      status: 'destroyed',
      lastCheckinAt: 1_700_000_000_123,
      reason: 'done',
      prUrl: 'https://forge.example/p/31',
      destroyedAt: 1_700_000_001_000,
    });
    const bare = stateRow({ issueNumber: 13, repoId: null, host: null, bottleNames: [] });
    await database().forgeState.upsert(full);
    await database().forgeState.upsert(bare);
    assert.deepEqual(await database().forgeState.get(subject(12)), full);
    assert.deepEqual(await database().forgeState.get(subject(13)), bare);
  });

  it('writes a row that has more fields than its type says', async () => {
    const row = stateRow();
    await database().forgeState.upsert({ ...row, ...subject(12) });
    assert.deepEqual(await database().forgeState.get(subject(12)), row);
  });

  it('knows nothing of a subject that has no row', async () => {
    await database().forgeState.upsert(stateRow());
    assert.equal(await database().forgeState.get(subject(1)), undefined);
    assert.equal(await database().forgeState.get({ ...subject(12), repo: 'other' }), undefined);
  });

  it('finds the row of a run by its slug, until a later life takes it over', async () => {
    await database().forgeState.upsert(stateRow({ issueNumber: 1, slug: 'a-1' }));
    await database().forgeState.upsert(stateRow({ issueNumber: 2, slug: 'a-2' }));
    assert.equal((await database().forgeState.ofRun('a-2'))?.issueNumber, 2);
    await database().forgeState.upsert(stateRow({ issueNumber: 2, slug: 'a-3' }));
    assert.equal(await database().forgeState.ofRun('a-2'), undefined);
    assert.equal((await database().forgeState.ofRun('a-3'))?.issueNumber, 2);
  });

  it('finds those whose issue or pull request it is, living or not', async () => {
    await add({ issueNumber: 1, slug: 'issue-31', prNumber: 31 });
    await add({ issueNumber: 31, slug: 'pull-31', prNumber: 31, status: 'destroyed' });
    await add({ issueNumber: 3, slug: 'other', prNumber: 32 });
    await add({ issueNumber: 4, slug: 'elsewhere', prNumber: 31, repo: 'other', repoId: 8 });
    await add({ issueNumber: 31, slug: 'local', forge: 'local', repo: 'local' });
    assert.deepEqual(await slugs(database().forgeState.ofNumber(subject(31), 7)), ['issue-31', 'pull-31']);
    assert.deepEqual(await slugs(database().forgeState.ofNumber(subject(1), 7)), ['issue-31']);
    assert.deepEqual(await slugs(database().forgeState.ofNumber(subject(2), 7)), []);
  });

  it('finds them whatever the case of owner and repository, when asked to', async () => {
    await add({ issueNumber: 1, slug: 'issue-31', prNumber: 31 });
    await add({ issueNumber: 31, slug: 'pull-31', prNumber: 31, repo: 'Demo', status: 'destroyed' });
    await add({ issueNumber: 31, slug: 'elsewhere', repo: 'other' });
    await add({ issueNumber: 31, slug: 'local', forge: 'local' });
    const { forgeState } = database();
    const shouted = { ...subject(31), owner: 'ALICE', repo: 'DEMO' };
    assert.deepEqual(await slugs(forgeState.ofNumberInAnyCase(shouted)), ['issue-31', 'pull-31']);
    assert.deepEqual(await slugs(forgeState.ofNumberInAnyCase(subject(1))), ['issue-31']);
    assert.deepEqual(await slugs(forgeState.ofNumberInAnyCase({ ...subject(31), repo: 'Dem_' })), []);
  });

  it('knows a repository by its id, and by its name only a row without one, or who asks without one', async () => {
    await add({ issueNumber: 1, slug: 'renamed', prNumber: 31, repo: 'old', branch: 'b' });
    await add({ issueNumber: 2, slug: 'nameless', prNumber: 31, repoId: null, branch: 'b' });
    await add({ issueNumber: 3, slug: 'newcomer', prNumber: 31, repoId: 8, branch: 'b' });
    const { forgeState } = database();
    assert.deepEqual(await slugs(forgeState.ofNumber(subject(31), 7)), ['nameless', 'renamed']);
    assert.deepEqual(await slugs(forgeState.ofNumber(subject(31), null)), ['nameless', 'newcomer']);
    assert.deepEqual(await slugs(forgeState.ofBranch(subject(31), 7, 'b')), ['nameless', 'renamed']);
    assert.deepEqual(await slugs(forgeState.ofBranch(subject(31), 8, 'b')), ['nameless', 'newcomer']);
    assert.deepEqual(await slugs(forgeState.ofBranch(subject(31), 7, 'c')), []);
  });

  it('knows who goes on: under a workflow id, in a repository, at all', async () => {
    const workflowId = 'gitea:alice/before#1';
    await add({ issueNumber: 1, slug: 'ended', workflowId, status: 'destroyed' });
    assert.equal(await database().forgeState.holderOf(workflowId), undefined);
    assert.equal(await database().forgeState.livesIn(7), false);
    await add({ issueNumber: 2, slug: 'frozen', workflowId, status: 'frozen' });
    await add({ issueNumber: 3, slug: 'running', repoId: 8 });
    assert.equal((await database().forgeState.holderOf(workflowId))?.slug, 'frozen');
    const lives = [7, 8, 9].map((repoId) => database().forgeState.livesIn(repoId));
    assert.deepEqual(await Promise.all(lives), [true, true, false]);
    assert.deepEqual(await slugs(database().forgeState.living()), ['frozen', 'running']);
  });

  it('finds everything but the whole list without a look at every row', async () => {
    const plans = await queryPlans(file, (db) => {
      const store = createForgeStateStore(db);
      return Promise.all([
        store.get(subject(1)),
        store.ofRun('a-1'),
        store.ofNumber(subject(1), 7),
        store.ofNumber(subject(1), null),
        store.ofBranch(subject(1), 7, 'b'),
        store.holderOf('gitea:alice/demo#1'),
        store.livesIn(7),
        store.living(),
        store.running(),
        store.checkedIn('a-1', 1, 9_000),
        store.ofNumberInAnyCase(subject(1)),
      ]);
    });
    assert.equal(plans.length, 11);
    for (const plan of plans) {
      assert.match(plan.join('\n'), /^SEARCH forge_state USING/m);
      assert.doesNotMatch(plan.join(), /SCAN/);
    }
    const searches = (plan: number): string[] =>
      plans[plan]?.filter((detail) => detail.startsWith('SEARCH')) ?? [];
    assert.equal(searches(2).length, 4);
    for (const detail of searches(2)) assert.match(detail, / AND (issue|pr)_number=\?/);
    assert.equal(searches(4).length, 2, plans[4]?.join());
    for (const detail of searches(4)) assert.match(detail, / AND branch=\?/);
    assert.match(searches(6).join(), /status=\? AND repo_id=\?/);
  });

  it('replaces the row of an earlier life', async () => {
    await database().forgeState.upsert(stateRow({ status: 'destroyed', prNumber: 4, destroyedAt: 5 }));
    const next = stateRow({ slug: 'coder-alice-demo-12-zzzzz' });
    await database().forgeState.upsert(next);
    assert.deepEqual(await database().forgeState.all(), [next]);
  });

  it('deletes twice without complaint', async () => {
    await database().forgeState.upsert(stateRow());
    await database().forgeState.delete(subject(12));
    await database().forgeState.delete(subject(12));
    assert.deepEqual(await database().forgeState.all(), []);
  });

  it('lists rows by forge, owner, repository and number, not as text', async () => {
    for (const [owner, repo, issueNumber] of [
      ['bob', 'a', 1],
      ['alice', 'z', 2],
      ['alice', 'demo', 10],
      ['alice', 'demo', 9],
    ] as const) {
      await database().forgeState.upsert(stateRow({ owner, repo, issueNumber }));
    }
    const order = (await database().forgeState.all()).map(
      (row) => `${row.owner}/${row.repo}#${String(row.issueNumber)}`,
    );
    assert.deepEqual(order, ['alice/demo#9', 'alice/demo#10', 'alice/z#2', 'bob/a#1']);
  });

  it('notes when an agent was heard of: never backwards, and only of a run that is running', async () => {
    const row = stateRow({ status: 'running', lastCheckinAt: null });
    const { slug } = row;
    await database().forgeState.upsert(row);
    await database().forgeState.upsert(stateRow({ issueNumber: 13, slug: 'other-1', status: 'running' }));
    const other = await database().forgeState.ofRun('other-1');
    await database().forgeState.checkedIn(slug, 2_000, 9_000);
    await database().forgeState.checkedIn(slug, 1_000, 9_000);
    assert.deepEqual(await database().forgeState.ofRun(slug), { ...row, lastCheckinAt: 2_000 });
    assert.deepEqual(await database().forgeState.ofRun('other-1'), other);
    for (const status of ['frozen', 'destroyed'] as const) {
      const ended = { ...row, status, lastCheckinAt: 2_000 };
      await database().forgeState.upsert(ended);
      await database().forgeState.checkedIn(slug, 3_000, 9_000);
      assert.deepEqual(await database().forgeState.ofRun(slug), ended);
    }
    await database().forgeState.checkedIn('nobody-1', 3_000, 9_000);
    assert.equal((await database().forgeState.all()).length, 2);
  });

  it('says that a turn runs once its agent was heard of, and tells so once', async () => {
    for (const phase of ['launching', 'rehydrating']) {
      const row = stateRow({ status: 'running', phase, lastCheckinAt: 1_000 });
      await database().forgeState.upsert(row);
      await database().forgeState.checkedIn(row.slug, 1_000, 8_000);
      assert.deepEqual(await database().forgeState.ofRun(row.slug), row, 'that was in the turn before');
      await database().forgeState.checkedIn(row.slug, 2_000, 9_000);
      await database().forgeState.checkedIn(row.slug, 3_000, 9_999);
      const running = { ...row, phase: 'running', lastCheckinAt: 3_000, updatedAt: 9_000 };
      assert.deepEqual(await database().forgeState.ofRun(row.slug), running);
    }
  });

  it('lists the running ones alone', async () => {
    for (const [index, status] of (['running', 'frozen', 'destroyed', 'running'] as const).entries())
      await database().forgeState.upsert(
        stateRow({ issueNumber: index + 1, slug: `s-${String(index + 1)}`, status }),
      );
    assert.deepEqual(
      (await database().forgeState.running()).map(({ issueNumber }) => issueNumber),
      [1, 4],
    );
  });

  it('refuses a status that is none', async () => {
    // @ts-expect-error: not a status
    const wrong = stateRow({ status: 'launching' });
    await assert.rejects(database().forgeState.upsert(wrong), /CHECK constraint failed/);
  });

  it('keeps rows for the next instance', async () => {
    await database().forgeState.upsert(stateRow());
    await database().close();
    const next = await openDatabase(file);
    assert.deepEqual(await next.forgeState.get(subject(12)), stateRow());
    await next.close();
  });

  it('names row and column of corrupt JSON', async () => {
    await database().forgeState.upsert(stateRow());
    const other = new SqliteDatabase(file);
    for (const text of ['{"a"', '{}', '[1]']) {
      other.prepare('UPDATE forge_state SET bottle_names = ?').run(text);
      const isClear = (error: unknown): boolean =>
        error instanceof StoreError && /bottle_names of gitea:alice\/demo#12 .* corrupt/.test(error.message);
      await assert.rejects(database().forgeState.get(subject(12)), isClear);
      await assert.rejects(database().forgeState.all(), isClear);
    }
    other.close();
  });
});
