import assert from 'node:assert/strict';
import { outcomeOfProposal } from '../../../../../src/workflows/run/supervise/proposals.js';
import { decide, ID, propose, proposing } from '../../../../support/machine/proposing.js';
import { comment, done, kinds, POLICY, type World, wrote } from '../../../../support/machine/world.js';

const BUILT = '2'.repeat(64);
const WHY = '3'.repeat(64);

const isTold = ({ life }: World): boolean | undefined => life.proposals[0]?.told;

describe('an image that an operator agreed to', () => {
  const building = (): World => {
    const world = proposing('capability-block');
    const [build] = decide(world, BUILT);
    assert.ok(build?.kind === 'rebuild_image');
    assert.deepEqual([build.id, build.host, build.input.changes], [ID, 'h1', [BUILT]]);
    assert.match(
      world.life.timeline.at(-1)?.what ?? '',
      /aaaaaaaa approved by ann@desk: its image is being built/,
    );
    assert.equal(outcomeOfProposal(world.state, ID).status, 'pending');
    return world;
  };

  it('ends the turn of the agent that waits for it, and the next one begins in it', () => {
    const world = building();
    assert.deepEqual(kinds(world.feed({ kind: 'change_applied', id: ID })), [
      'record_decision',
      'disarm_watchdog',
      'stop_turn',
    ]);
    assert.equal(world.turn.stop, 'rebuilt');
    // A new image is news of the turn that begins in it.
    world.feed({ kind: 'proposal_told', id: ID });
    assert.ok(isTold(world) === false);
    world.endTurn({ stopped: 'rebuilt', exitCode: 143 });
    assert.deepEqual([world.phase, world.turn.cause.kind], ['rehydrating', 'decision']);
  });

  it('leaves an agent at work that has gone on since', () => {
    const world = building();
    world.now += POLICY.superviseHoldMs;
    assert.deepEqual(kinds(world.feed({ kind: 'change_applied', id: ID })), ['record_decision']);
    assert.equal(world.turn.stop, null);
    const later = building();
    later.endTurn({ done });
    later.feed(wrote(comment(1)));
    later.start();
    later.feed({ kind: 'change_applied', id: ID });
    assert.equal(later.turn.stop, null, 'it waits for nothing in its second turn');
  });

  it('that cannot be built is told to the agent, which can mend its steps, and changes nothing', () => {
    const world = building();
    const [row, ...others] = world.feed({ kind: 'build_failed', id: ID, reasonRef: WHY });
    assert.ok(row?.kind === 'record_decision');
    assert.deepEqual([row.input.decision.ref, row.input.tried, others], [null, BUILT, []]);
    assert.deepEqual(outcomeOfProposal(world.state, ID), { id: ID, status: 'failed', notesRef: WHY });
    assert.deepEqual([world.life.changes, world.turn.stop], [[], null]);
    world.feed({ kind: 'proposal_told', id: ID });
    assert.ok(isTold(world));
  });

  describe('while another one is being built', () => {
    const OTHER = 'b'.repeat(32);
    const SECOND = '4'.repeat(64);
    const both = (): World => {
      const world = proposing('capability-block');
      propose(world, { id: OTHER, tool: 'capability-block' });
      decide(world, BUILT);
      const [beside] = decide(world, SECOND, OTHER);
      assert.ok(beside?.kind === 'rebuild_image');
      assert.deepEqual(beside.input.changes, [SECOND]);
      world.feed({ kind: 'change_applied', id: ID });
      return world;
    };

    it('is built once more on what was agreed to meanwhile, as the next turn would', () => {
      const world = both();
      const [again, ...others] = world.feed({ kind: 'change_applied', id: OTHER });
      assert.deepEqual(others, []);
      assert.ok(again?.kind === 'rebuild_image');
      assert.deepEqual([again.id, again.host, again.input.changes], [OTHER, 'h1', [BUILT, SECOND]]);
      assert.deepEqual(world.life.changes, [BUILT]);
      const built = kinds(world.feed({ kind: 'change_applied', id: OTHER }));
      assert.ok(built.includes('record_decision') && !built.includes('rebuild_image'));
      assert.deepEqual(world.life.changes, [BUILT, SECOND]);
    });

    it('is none, and leaves the run as it was, where it cannot be built on that', () => {
      const world = both();
      world.feed({ kind: 'change_applied', id: OTHER });
      world.feed({ kind: 'build_failed', id: OTHER, reasonRef: WHY });
      assert.equal(outcomeOfProposal(world.state, OTHER).status, 'failed');
      assert.deepEqual(world.life.changes, [BUILT]);
    });

    it('is not built again for a change that is no image', () => {
      const world = proposing('capability-block');
      propose(world, { id: OTHER });
      decide(world, BUILT);
      decide(world, SECOND, OTHER);
      world.feed({ kind: 'change_applied', id: OTHER });
      const built = kinds(world.feed({ kind: 'change_applied', id: ID }));
      assert.ok(!built.includes('rebuild_image'));
      assert.deepEqual(world.life.changes, [SECOND, BUILT]);
    });

    it('is not built again for a run that is to end', () => {
      const world = both();
      world.feed({ kind: 'lost', readAt: 20, why: 'gone' });
      assert.ok(!kinds(world.feed({ kind: 'change_applied', id: OTHER })).includes('rebuild_image'));
    });
  });

  it('is not built when the operator rejects it', () => {
    const world = proposing('capability-block');
    assert.deepEqual(kinds(decide(world, null)), ['record_decision']);
  });
});
