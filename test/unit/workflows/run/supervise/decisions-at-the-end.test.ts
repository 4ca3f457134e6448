import assert from 'node:assert/strict';
import { outcomeOfProposal } from '../../../../../src/workflows/run/supervise/proposals.js';
import { decide, ID, proposing, SHOWN } from '../../../../support/machine/proposing.js';
import { done, kinds, type World } from '../../../../support/machine/world.js';

const CANCELLED = { id: ID, status: 'cancelled', notesRef: null };

/** An operator's yes is taking effect, the turn is over, and then the run is to end. */
function ending(tool?: 'capability-block'): World {
  const world = proposing(tool);
  decide(world, SHOWN);
  world.endTurn({ done });
  assert.equal(world.phase, 'frozen');
  const wanted = kinds(world.feed({ kind: 'lost', readAt: 90_000, why: 'gone' }));
  assert.deepEqual(wanted, ['end_step', 'destroy'], 'what takes so long is called off');
  assert.equal(outcomeOfProposal(world.state, ID).status, 'pending');
  return world;
}

describe('a decision that is taking effect when its run ends', () => {
  for (const [what, tool] of [
    ['an image that is built', 'capability-block'],
    ['a file that the bottle takes in', undefined],
  ] as const) {
    const isNobodys = (world: World): void => {
      assert.deepEqual(outcomeOfProposal(world.state, ID), CANCELLED);
      assert.deepEqual(world.life.changes, []);
    };

    it(`is cancelled, with a row, when the run is gone first: ${what}`, () => {
      const world = ending(tool);
      world.pay('destroy');
      const rows = world.feed({ kind: 'destroyed' });
      assert.deepEqual(kinds(rows), ['record_decision', 'record_end']);
      const [row] = rows;
      const tried = row?.kind === 'record_decision' ? row.input.tried : 'no row';
      assert.equal(tried, tool === undefined ? undefined : SHOWN, 'steps of an image may have run');
      isNobodys(world);
      for (const late of ['change_applied', 'change_failed'] as const)
        assert.deepEqual(world.feed({ kind: late, id: ID, reason: 'called off' }), []);
      isNobodys(world);
    });

    it(`is cancelled where nobody could remove what the run left: ${what}`, () => {
      const world = ending(tool);
      assert.deepEqual(kinds(world.fail('destroy', 'no engine')), ['record_decision', 'record_end']);
      isNobodys(world);
    });

    it(`is cancelled once when it was called off before the run is gone: ${what}`, () => {
      const world = ending(tool);
      const calledOff = world.feed({ kind: 'change_failed', id: ID, reason: 'called off' });
      assert.deepEqual(kinds(calledOff), ['record_decision']);
      world.pay('destroy');
      assert.deepEqual(kinds(world.feed({ kind: 'destroyed' })), ['record_end']);
      isNobodys(world);
    });
  }
});
