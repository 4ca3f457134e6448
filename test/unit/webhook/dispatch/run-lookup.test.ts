import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { createRunLookup } from '../../../../src/webhook/dispatch/run-lookup.js';
import type { Hint } from '../../../../src/webhook/events/hint.js';
import type { ForgeStateRow } from '../../../../src/domain/run/rows.js';
import { openDatabase } from '../../../../src/adapters/sqlite/open-database.js';
import { stateRow } from '../../../support/webhook/rows.js';
import { useNewPaths, useTempDir } from '../../../support/webhook/temp-dir.js';

type Asked = Pick<Hint, 'subject' | 'repoId' | 'isPull' | 'headRef'>;

const asked = (number: number, changes: Partial<Asked> = {}): Asked => ({
  subject: { forge: 'gitea', owner: 'alice', repo: 'demo', number },
  repoId: 7,
  isPull: true,
  headRef: null,
  ...changes,
});

describe('which run a delivery concerns', () => {
  const path = useTempDir();
  const newPath = useNewPaths();

  async function found(rows: readonly ForgeStateRow[], hint: Asked): Promise<string | undefined> {
    const database = await openDatabase(newPath());
    try {
      for (const row of rows) await database.forgeState.upsert(row);
      return (await createRunLookup(database).find(hint))?.slug;
    } finally {
      await database.close();
    }
  }
  const at = 1_700_000_000_000;

  it('is the living run of a pull request, not an ended one that had it, however late that was written', async () => {
    const ended = stateRow({
      issueNumber: 1,
      slug: 'ended',
      prNumber: 31,
      status: 'destroyed',
      updatedAt: at + 9,
    });
    const living = stateRow({ issueNumber: 2, slug: 'living', prNumber: 31, updatedAt: at });
    assert.equal(await found([ended, living], asked(31)), 'living');
    assert.equal(await found([living, ended], asked(31)), 'living');
  });

  it('is the one that was written last, where several live or none does', async () => {
    for (const status of ['frozen', 'destroyed'] as const) {
      const older = stateRow({ issueNumber: 1, slug: 'older', prNumber: 31, status, updatedAt: at });
      const newer = stateRow({ issueNumber: 2, slug: 'newer', prNumber: 31, status, updatedAt: at + 1 });
      assert.equal(await found([older, newer], asked(31)), 'newer', status);
      assert.equal(await found([newer, older], asked(31)), 'newer', status);
    }
  });

  it('is the run whose branch the pull request has, before its number is known', async () => {
    const other = stateRow({ issueNumber: 2, slug: 'other' });
    const own = stateRow({ issueNumber: 12, slug: 'own' });
    const headRef = 'bot-bottle/12-abc12';
    assert.equal(await found([other, own], asked(31, { headRef })), 'own');
    assert.equal(await found([other, own], asked(31, { headRef: 'bot-bottle/12-zzzzz' })), undefined);
  });

  it('is the earlier life whose branch it is, where the issue has begun another under another name', async () => {
    const headRef = 'bot-bottle/12-abc12';
    const ended = stateRow({ repo: 'before', slug: 'ended', status: 'destroyed', branch: headRef });
    const living = stateRow({ slug: 'living', branch: 'bot-bottle/12-zzzzz' });
    // A run of a pull request works on the branch of that one, and is found by its number alone.
    const ofPull = stateRow({ issueNumber: 30, slug: 'of-pull', branch: headRef });
    assert.equal(await found([ofPull, ended, living], asked(31, { headRef })), 'ended');
    assert.equal(await found([ofPull], asked(31, { headRef })), undefined);
  });

  it('is none in another repository, even under its old name', async () => {
    const row = stateRow({ issueNumber: 12, slug: 'own', prNumber: 31 });
    assert.equal(await found([row], asked(31, { repoId: 8 })), undefined);
    assert.equal(await found([row], asked(12, { repoId: 8, isPull: false })), undefined);
    assert.equal(await found([row], asked(12, { isPull: false })), 'own');
  });

  it('is the run of the issue, not one that has the number for its pull request', async () => {
    const ofIssue = stateRow({ issueNumber: 12, slug: 'of-issue', status: 'destroyed', updatedAt: at });
    const ofPull = stateRow({ issueNumber: 2, slug: 'of-pull', prNumber: 12, updatedAt: at + 9 });
    assert.equal(await found([ofIssue, ofPull], asked(12, { isPull: false })), 'of-issue');
    assert.equal(await found([ofIssue, ofPull], asked(12)), 'of-pull');
    assert.equal(await found([ofPull], asked(12, { isPull: false })), undefined);
  });

  it('is the run whose subject is the pull request itself, and whose branch does not matter then', async () => {
    const own = stateRow({ issueNumber: 31, slug: 'own' });
    const other = stateRow({ issueNumber: 12, slug: 'other' });
    const headRef = 'bot-bottle/12-abc12';
    assert.equal(await found([own, other], asked(31, { headRef })), 'own');
  });

  it('is the run of the issue under the repository’s earlier name', async () => {
    const row = stateRow({ issueNumber: 12, slug: 'own', owner: 'carol', repo: 'old' });
    assert.equal(await found([row], asked(12, { isPull: false })), 'own');
  });

  it('is known with the act that began it, and with who has its name', async () => {
    const database = await openDatabase(path('more.db'));
    try {
      const row = stateRow({ slug: 'own' });
      await database.forgeState.upsert(row);
      await database.runs.appendRun({
        ...{ slug: 'own', workflowId: row.workflowId, subject: row.workflowId, agentName: 'coder' },
        ...{ bottleNames: [], triggerActor: 'alice', triggerAt: 5, triggerActId: 6, createdAt: 7 },
      });
      const runs = createRunLookup(database);
      assert.deepEqual(await runs.triggerOf('own'), { actAt: 5, actId: 6 });
      assert.equal(await runs.triggerOf('another'), undefined);
      const { subject } = asked(12);
      assert.equal((await runs.holderOf(subject))?.slug, 'own');
      assert.equal(await runs.holderOf({ ...subject, number: 13 }), undefined);
    } finally {
      await database.close();
      rmSync(path('more.db'), { force: true });
    }
  });
});
