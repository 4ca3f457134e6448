import assert from 'node:assert/strict';
import { freshCursor } from '../../../../src/activities/reconcile/list-cursor.js';
import type { KnownRun } from '../../../../src/activities/reconcile/plan-findings.js';
import { inTurn, preparedState } from '../../../../src/activities/reconcile/prepare-state.js';
import { EMPTY_RECONCILE_STATE } from '../../../../src/domain/upkeep/reconcile.js';
import type { ReconcileState } from '../../../../src/domain/upkeep/reconcile.js';
import type { ForgeStateRow } from '../../../../src/domain/run/rows.js';
import { stateRow } from '../../../support/webhook/rows.js';

const T = 1_700_000_000_000;

function run(changes: Partial<ForgeStateRow>, triggerAt: number): KnownRun {
  return { row: stateRow(changes), triggerAt };
}

function later(state: ReconcileState, since: number): ReconcileState {
  return { ...state, comments: { '7': freshCursor(since) }, pulls: [] };
}

describe('the state a pass of the reconciler begins with', () => {
  it('forgets what is served no longer, and keeps the place in what is', () => {
    const state = { ...EMPTY_RECONCILE_STATE, lists: { a: freshCursor(T), b: freshCursor(T) } };
    assert.deepEqual(preparedState(state, ['b', 'c'], []).lists, { b: freshCursor(T), c: freshCursor(null) });
  });

  it('forgets the ids of what is named no longer, and keeps the pull requests that are still to be looked at', () => {
    const state = {
      ...EMPTY_RECONCILE_STATE,
      ids: { a: 1, b: 2 },
      pulls: [
        { repoId: 7, number: 9 },
        { repoId: 7, number: 10 },
      ],
    };
    const next = preparedState(state, ['b'], [run({}, T)]);
    assert.deepEqual([next.ids, next.pulls], [{ b: 2 }, state.pulls]);
  });

  it('reads the comments of a repository from the trigger of its first run on', () => {
    const runs = [run({ issueNumber: 1 }, T + 5), run({ issueNumber: 2 }, T)];
    const { comments } = preparedState(EMPTY_RECONCILE_STATE, [], runs);
    assert.deepEqual(comments, { '7': freshCursor(T) });
  });

  it('goes back to the trigger once for a run that is new, and once when its pull request becomes known', () => {
    const known = run({ issueNumber: 1 }, T);
    const first = preparedState(EMPTY_RECONCILE_STATE, [], [known]);
    const second = preparedState(later(first, T + 60_000), [], [known]);
    assert.deepEqual(second.comments, { '7': freshCursor(T + 60_000) }, 'nothing new');
    const newcomer = run({ issueNumber: 2 }, T + 50_000);
    const third = preparedState(later(second, T + 60_000), [], [known, newcomer]);
    assert.deepEqual(third.comments, { '7': freshCursor(T + 50_000) });
    const withPr = run({ issueNumber: 1, prNumber: 9 }, T);
    const fourth = preparedState(later(third, T + 120_000), [], [withPr, newcomer]);
    assert.deepEqual(fourth.comments, { '7': freshCursor(T) });
    assert.deepEqual(fourth.pulls, [{ repoId: 7, number: 9 }]);
    const fifth = preparedState(later(fourth, T + 180_000), [], [withPr, newcomer]);
    assert.deepEqual([fifth.comments, fifth.pulls], [{ '7': freshCursor(T + 180_000) }, []]);
  });

  it('forgets runs that have ended, and the pull requests of their repositories', () => {
    const state = preparedState(EMPTY_RECONCILE_STATE, [], [run({ prNumber: 9 }, T)]);
    const ended = preparedState(state, [], []);
    assert.deepEqual([ended.runs, ended.comments, ended.pulls], [{}, {}, []]);
  });
});

describe('taking turns', () => {
  const names = ['b', 'a', 'd'];
  const same = (name: string): string => name;

  it('begins with the one whose turn it is, and comes to all of them', () => {
    assert.deepEqual(inTurn(names, same, 'b'), ['b', 'd', 'a']);
    assert.deepEqual(inTurn(names, same, null), ['a', 'b', 'd']);
  });

  it('goes on after one that is gone', () => {
    assert.deepEqual(inTurn(names, same, 'c'), ['d', 'a', 'b']);
    assert.deepEqual(inTurn(names, same, 'z'), ['a', 'b', 'd']);
  });
});
