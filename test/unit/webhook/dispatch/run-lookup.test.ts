import assert from 'node:assert/strict';
import { createRunLookup } from '../../../../src/webhook/dispatch/run-lookup.js';
import type { Hint } from '../../../../src/webhook/hint/hint.js';
import type { ForgeStateRow } from '../../../../src/domain/run/rows.js';
import { openDatabase } from '../../../../src/adapters/sqlite/open-database.js';
import { stateRow } from '../../../support/webhook/rows.js';
import { useTempDir } from '../../../support/webhook/temp-dir.js';

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
  let count = 0;

  async function found(rows: readonly ForgeStateRow[], hint: Asked): Promise<string | undefined> {
    const database = await openDatabase(path(`rows-${String((count += 1))}.db`));
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
});
