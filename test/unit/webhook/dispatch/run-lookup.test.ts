import assert from 'node:assert/strict';
import { createRunLookup } from '../../../../src/webhook/dispatch/run-lookup.js';
import type { Hint } from '../../../../src/webhook/hint/hint.js';
import type { ForgeStateRow } from '../../../../src/domain/run/rows.js';
import { stateRow } from '../../../support/webhook/rows.js';

type Asked = Pick<Hint, 'subject' | 'repoId' | 'isPull' | 'headRef'>;

const asked = (number: number, changes: Partial<Asked> = {}): Asked => ({
  subject: { forge: 'gitea', owner: 'alice', repo: 'demo', number },
  repoId: 7,
  isPull: true,
  headRef: null,
  ...changes,
});

/** Newest first, as the rows of an issue's second life stand above those of its first. */
function found(rows: readonly ForgeStateRow[], hint: Asked): string | undefined {
  const lookup = createRunLookup({
    forgeState: {
      get: ({ owner, repo, number }: Asked['subject']) =>
        rows.find((row) => row.owner === owner && row.repo === repo && row.issueNumber === number),
      all: () => [...rows],
    },
    runs: { run: () => undefined },
  } as unknown as Parameters<typeof createRunLookup>[0]);
  return lookup.find(hint)?.slug;
}

describe('which run a delivery concerns', () => {
  const at = 1_700_000_000_000;

  it('is the living run of a pull request, not an ended one that had it, however late that was written', () => {
    const ended = stateRow({
      issueNumber: 1,
      slug: 'ended',
      prNumber: 31,
      status: 'destroyed',
      updatedAt: at + 9,
    });
    const living = stateRow({ issueNumber: 2, slug: 'living', prNumber: 31, updatedAt: at });
    assert.equal(found([ended, living], asked(31)), 'living');
    assert.equal(found([living, ended], asked(31)), 'living');
  });

  it('is the one that was written last, where several live or none does', () => {
    for (const status of ['frozen', 'destroyed'] as const) {
      const older = stateRow({ issueNumber: 1, slug: 'older', prNumber: 31, status, updatedAt: at });
      const newer = stateRow({ issueNumber: 2, slug: 'newer', prNumber: 31, status, updatedAt: at + 1 });
      assert.equal(found([older, newer], asked(31)), 'newer', status);
      assert.equal(found([newer, older], asked(31)), 'newer', status);
    }
  });

  it('is the run whose branch the pull request has, before its number is known', () => {
    const other = stateRow({ issueNumber: 2, slug: 'other' });
    const own = stateRow({ issueNumber: 12, slug: 'own' });
    const headRef = 'bot-bottle/12-abc12';
    assert.equal(found([other, own], asked(31, { headRef })), 'own');
    assert.equal(found([other, own], asked(31, { headRef: 'bot-bottle/12-zzzzz' })), undefined);
  });

  it('is none in another repository, even under its old name', () => {
    const row = stateRow({ issueNumber: 12, slug: 'own', prNumber: 31 });
    assert.equal(found([row], asked(31, { repoId: 8 })), undefined);
    assert.equal(found([row], asked(12, { repoId: 8, isPull: false })), undefined);
    assert.equal(found([row], asked(12, { isPull: false })), 'own');
  });
});
