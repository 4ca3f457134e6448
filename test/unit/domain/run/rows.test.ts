import assert from 'node:assert/strict';
import { identityOf, isRowIn, latestOf, statusOf } from '../../../../src/domain/run/rows.js';
import { stateRow } from '../../../support/webhook/rows.js';

describe('a state row', () => {
  it('says of a phase no more than whether the run works, rests or is over', () => {
    assert.deepEqual(['frozen', 'destroyed', 'running', 'launching', 'archiving', ''].map(statusOf), [
      'frozen',
      'destroyed',
      'running',
      'running',
      'running',
      'running',
    ]);
  });

  it('is of the repository with its id, whatever that is called; without an id, of the one with its name', () => {
    const row = { forge: 'gitea', repoId: 7, owner: 'alice', repo: 'demo' } as const;
    const place = { repoId: 7, owner: 'alice', repo: 'demo' };
    assert.equal(isRowIn(row, { ...place, owner: 'bob', repo: 'renamed' }), true);
    assert.equal(isRowIn(row, { ...place, repoId: 8 }), false, 'a new one that took the name');
    const old = { ...row, repoId: null };
    assert.equal(isRowIn(old, place), true);
    assert.equal(isRowIn(old, { ...place, owner: 'bob' }), false);
    assert.equal(isRowIn(old, { ...place, repo: 'other' }), false);
    assert.equal(isRowIn({ ...row, forge: 'local' }, place), false, 'a run without an issue');
  });

  it('keeps the name that its workflow began with', () => {
    const row = stateRow({ owner: 'bob', repo: 'renamed', workflowId: 'gitea:alice/demo#12' });
    assert.deepEqual(identityOf(row), { forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 });
    const { forge, owner, repo, issueNumber: number } = row;
    assert.deepEqual(identityOf({ ...row, workflowId: 'none' }), { forge, owner, repo, number });
  });

  it('that goes on is the latest, else the one that was written last', () => {
    const over = stateRow({ slug: 'over', status: 'destroyed', updatedAt: 9 });
    const on = stateRow({ slug: 'on', status: 'frozen', updatedAt: 5 });
    const older = stateRow({ slug: 'older', status: 'destroyed', updatedAt: 1 });
    assert.equal(latestOf([over, on, older])?.slug, 'on');
    assert.equal(latestOf([older, over])?.slug, 'over');
    assert.equal(latestOf([]), undefined);
  });
});
