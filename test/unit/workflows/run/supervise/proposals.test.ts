import assert from 'node:assert/strict';
import type { MachineEvent } from '../../../../../src/domain/run/events.js';
import {
  decisionRefusal,
  hasBeenHeld,
  holdLeft,
  isHeld,
  outcomeOfProposal,
} from '../../../../../src/workflows/run/supervise/proposals.js';
import type { MachineCommand } from '../../../../../src/workflows/run/commands.js';
import type { RunProposal } from '../../../../../src/workflows/run/state.js';
import { decide, ID, propose, proposing, SHOWN } from '../../../../support/machine/proposing.js';
import { running } from '../../../../support/machine/stages.js';
import { comment, done, kinds, POLICY, World, wrote } from '../../../../support/machine/world.js';

const OTHER = 'b'.repeat(32);
const SECOND = '2'.repeat(64);
const WHY = '3'.repeat(64);

function first({ life }: World): RunProposal {
  const [one] = life.proposals;
  assert.ok(one !== undefined);
  return one;
}

const outcome = (world: World): string => outcomeOfProposal(world.state, ID).status;

describe('what an agent proposes', () => {
  it('waits, with a row that says that the agent asked, and a line in the timeline', () => {
    const world = proposing();
    const [row] = world.commands.flatMap((one) => (one.kind === 'record_proposal' ? [one.input] : []));
    const proposal = { id: ID, tool: 'pipelock-block', ref: SHOWN, turn: 1, at: world.now, origin: 'agent' };
    assert.deepEqual([row?.slug, row?.proposal], [world.life.slug, proposal]);
    assert.equal(first(world).heldUntil, world.now + POLICY.superviseHoldMs);
    assert.equal(world.life.timeline.at(-1)?.what, 'the agent proposes pipelock-block aaaaaaaa');
    assert.deepEqual(outcomeOfProposal(world.state, ID), { id: ID, status: 'pending', notesRef: null });
  });

  // An agent that sends it again and again would have no limit if it were held for longer each time.
  it('is one proposal however often it is asked for, and held once in a turn', () => {
    const world = proposing();
    const { heldUntil } = first(world);
    world.now += 1_000;
    assert.deepEqual(propose(world), []);
    assert.equal(world.life.proposals.length, 1);
    assert.equal(first(world).heldUntil, heldUntil);
    assert.equal(holdLeft(world.state, ID, world.now), POLICY.superviseHoldMs - 1_000);
    assert.deepEqual(
      [heldUntil, heldUntil + 1].map((at) => holdLeft(world.state, ID, at)),
      [0, 0],
    );
    assert.equal(holdLeft(world.state, OTHER, 0), 0);
  });

  it('is held anew when a later turn asks for it, and then it is that one that waits', () => {
    const world = proposing('capability-block');
    world.endTurn({ done });
    world.feed(wrote(comment(1)));
    world.start();
    world.now += 10 * POLICY.superviseHoldMs;
    assert.deepEqual(propose(world), []);
    assert.deepEqual([first(world).turn, first(world).heldUntil], [2, world.now + POLICY.superviseHoldMs]);
    decide(world, SHOWN);
    world.feed({ kind: 'change_applied', id: ID });
    assert.equal(world.turn.stop, 'rebuilt');
  });

  it('is none of a run that is to end', () => {
    const world = running();
    world.feed({ kind: 'lost', readAt: 20, why: 'gone' });
    assert.deepEqual(propose(world), []);
    assert.deepEqual(world.life.proposals, []);
  });

  it('makes room for more by forgetting the oldest of what its agent has heard of, and nothing that waits', () => {
    const world = proposing();
    const ids = Array.from({ length: 65 }, (_, n) => n.toString(16).padStart(32, '0'));
    for (const id of ids.slice(0, 63)) {
      propose(world, { id });
      decide(world, null, id);
      world.feed({ kind: 'proposal_told', id });
    }
    const known = (): string[] => world.life.proposals.map((one) => one.id);
    assert.deepEqual(known(), [ID, ...ids.slice(0, 63)]);
    propose(world, { id: ids[63] });
    assert.deepEqual(known(), [ID, ...ids.slice(1, 64)]);
    propose(world, { id: ids[64] });
    assert.deepEqual(known(), [ID, ...ids.slice(2, 65)]);
  });
});

describe('the agent that waits for an answer', () => {
  const held = (world: World, change: object = {}): boolean => {
    const { slug, turn } = world.life;
    const request = { slug, turn: turn.number, id: ID, tool: 'pipelock-block', ref: SHOWN } as const;
    return isHeld(world.state, { ...request, ...change });
  };

  it('is held as long as nobody has decided and its turn goes on', () => {
    const world = proposing();
    assert.ok(held(world));
    assert.ok(!held(world, { slug: 'another' }) && !held(world, { turn: 2 }));
    decide(world, null);
    assert.ok(!held(world));
  });

  it('has been held when its time is over and nobody has decided, in that turn alone', () => {
    const world = proposing();
    const been = (change: object = {}, now = first(world).heldUntil): boolean => {
      const { slug, turn } = world.life;
      const request = { slug, turn: turn.number, id: ID, tool: 'pipelock-block', ref: SHOWN } as const;
      return hasBeenHeld(world.state, { ...request, ...change }, now);
    };
    assert.ok(been());
    assert.ok(!been({}, first(world).heldUntil - 1), 'a call that is made again waits with the first');
    assert.ok(!been({ id: OTHER }), 'it is a new one');
    world.endTurn({ done });
    world.feed(wrote(comment(1)));
    world.start();
    assert.ok(!been());
    propose(world);
    assert.ok(been());
    decide(world, SHOWN);
    assert.ok(been(), 'it has not taken effect');
    world.feed({ kind: 'change_applied', id: ID });
    assert.ok(!been(), 'its agent is to hear of it');
    assert.ok(
      !hasBeenHeld(new World().state, { slug: 's', turn: 1, id: ID, tool: 'pipelock-block', ref: SHOWN }, 9),
    );
  });

  it('is not held once its turn is being stopped, or is over', () => {
    const stopped = proposing();
    stopped.command({ kind: 'freeze' });
    assert.ok(!held(stopped));
    const ended = proposing();
    ended.finish();
    assert.ok(!held(ended));
    assert.ok(!isHeld(new World().state, { slug: 's', turn: 1, id: ID, tool: 'pipelock-block', ref: SHOWN }));
  });
});

describe('a decision while the agent is at work', () => {
  it('stands when the bottle that runs has taken it in, with a row, and every change so far', () => {
    const world = proposing();
    const [apply] = decide(world, SHOWN);
    assert.ok(apply?.kind === 'apply_change');
    assert.deepEqual([apply.id, apply.host, apply.input.changes], [ID, 'h1', [SHOWN]]);
    assert.deepEqual([outcome(world), world.life.changes], ['pending', []]);
    const [row] = world.feed({ kind: 'change_applied', id: ID });
    assert.ok(row?.kind === 'record_decision');
    const decision = { id: ID, status: 'approved', who: 'ann@desk', at: 7, ref: SHOWN, notesRef: 'n' };
    assert.deepEqual([row.input.tool, row.input.decision], ['pipelock-block', decision]);
    assert.deepEqual(outcomeOfProposal(world.state, ID), { id: ID, status: 'approved', notesRef: 'n' });
    assert.deepEqual(world.life.changes, [SHOWN]);
    assert.equal(world.life.timeline.at(-1)?.what, 'pipelock-block aaaaaaaa approved by ann@desk');
    propose(world, { id: OTHER });
    const [next] = decide(world, SECOND, OTHER);
    assert.ok(next?.kind === 'apply_change');
    assert.deepEqual(next.input.changes, [SHOWN, SECOND]);
  });

  it('waits for the operator again when the bottle cannot take it in, and people see why', () => {
    const world = proposing();
    decide(world, SHOWN);
    assert.deepEqual(world.feed({ kind: 'change_failed', id: ID, reason: 'no such host' }), []);
    assert.deepEqual([first(world).decision, first(world).isApplied, world.life.changes], [null, false, []]);
    assert.match(
      world.life.timeline.at(-1)?.what ?? '',
      /aaaaaaaa was approved and cannot take effect: no such host/,
    );
    assert.deepEqual(kinds(decide(world, SHOWN)), ['apply_change']);
  });

  it('takes back, as a refusal, what may have got into the bottle before it failed', () => {
    const world = proposing();
    decide(world, SHOWN);
    world.feed({ kind: 'change_failed', id: ID, reason: 'its worker died' });
    const [back] = decide(world, null);
    assert.ok(back?.kind === 'apply_change');
    assert.deepEqual([back.input.changes, outcome(world)], [[], 'pending']);
    assert.deepEqual(kinds(world.feed({ kind: 'change_applied', id: ID })), ['record_decision']);
    assert.deepEqual([outcome(world), world.life.changes], ['rejected', []]);
  });

  it('is cancelled when the bottle cannot take it in and the run is to end', () => {
    const world = proposing();
    decide(world, SHOWN);
    world.feed({ kind: 'lost', readAt: 20, why: 'gone' });
    world.feed({ kind: 'change_failed', id: ID, reason: 'x' });
    assert.deepEqual([outcome(world), world.life.changes], ['cancelled', []]);
  });

  it('is of the proposal that it names, and of no other', () => {
    const world = proposing();
    propose(world, { id: OTHER });
    const of = (id: string): string => outcomeOfProposal(world.state, id).status;
    decide(world, SECOND, OTHER);
    assert.deepEqual(world.feed({ kind: 'change_applied', id: ID }), []);
    assert.deepEqual(world.feed({ kind: 'build_failed', id: ID, reasonRef: SHOWN }), []);
    world.feed({ kind: 'change_failed', id: OTHER, reason: 'x' });
    decide(world, SECOND, OTHER);
    world.feed({ kind: 'change_applied', id: OTHER });
    assert.deepEqual([of(ID), of(OTHER), world.life.changes], ['pending', 'approved', [SECOND]]);
    const asked = { id: OTHER, shown: SHOWN, verdict: 'reject', modified: null, notesRef: null } as const;
    assert.match(decisionRefusal(world.state, asked) ?? '', /approved already/);
  });

  describe('that is made before another one has taken effect', () => {
    /** Both decided, the first under way. */
    const both = (): World => {
      const world = proposing();
      propose(world, { id: OTHER });
      assert.deepEqual(kinds(decide(world, SHOWN)), ['apply_change']);
      assert.deepEqual(decide(world, SECOND, OTHER), []);
      return world;
    };
    const of = (world: World): readonly string[] =>
      [ID, OTHER].map((id) => outcomeOfProposal(world.state, id).status);
    const changesOf = (commands: readonly MachineCommand[]): readonly (readonly string[])[] =>
      commands.flatMap((one) => (one.kind === 'apply_change' ? [one.input.changes] : []));

    it('waits for that, and then takes effect with it', () => {
      const world = both();
      assert.deepEqual(of(world), ['pending', 'pending']);
      assert.deepEqual(changesOf(world.feed({ kind: 'change_applied', id: ID })), [[SHOWN, SECOND]]);
      assert.deepEqual(of(world), ['approved', 'pending']);
      assert.deepEqual(changesOf(world.feed({ kind: 'change_applied', id: OTHER })), []);
      assert.deepEqual(
        [of(world), world.life.changes],
        [
          ['approved', 'approved'],
          [SHOWN, SECOND],
        ],
      );
    });

    it('hears nothing of what only the first one can have come to', () => {
      const world = both();
      for (const late of ['change_applied', 'change_failed'] as const)
        assert.deepEqual(world.feed({ kind: late, id: OTHER, reason: 'x' }), []);
      const then = world.feed({ kind: 'change_applied', id: ID });
      assert.deepEqual(changesOf(then), [[SHOWN, SECOND]]);
    });

    it('takes effect without that where the bottle could not take that in', () => {
      const world = both();
      const then = world.feed({ kind: 'change_failed', id: ID, reason: 'x' });
      assert.deepEqual(changesOf(then), [[SECOND]]);
      assert.deepEqual(decide(world, SHOWN), [], 'which waits in its turn when it is decided again');
      const last = world.feed({ kind: 'change_applied', id: OTHER });
      assert.deepEqual(changesOf(last), [[SECOND, SHOWN]]);
    });

    it('takes effect in the order of the decisions, whichever was proposed first', () => {
      const world = proposing();
      const [third, thirdRef] = ['c'.repeat(32), '4'.repeat(64)];
      for (const id of [OTHER, third]) propose(world, { id });
      decide(world, SHOWN);
      decide(world, thirdRef, third, 8);
      decide(world, SECOND, OTHER, 9);
      assert.deepEqual(changesOf(world.feed({ kind: 'change_applied', id: ID })), [[SHOWN, thirdRef]]);
      assert.deepEqual(changesOf(world.feed({ kind: 'change_applied', id: third })), [
        [SHOWN, thirdRef, SECOND],
      ]);
    });

    it('is of the next turn where this one has been stopped meanwhile', () => {
      const world = both();
      world.command({ kind: 'freeze' });
      const then = kinds(world.feed({ kind: 'change_applied', id: ID }));
      assert.deepEqual(then, ['record_decision', 'check_change']);
      assert.deepEqual(kinds(world.feed({ kind: 'change_applied', id: OTHER })), ['record_decision']);
      assert.deepEqual(
        [of(world), world.life.changes],
        [
          ['approved', 'approved'],
          [SHOWN, SECOND],
        ],
      );
    });

    it('is cancelled when the run is to end', () => {
      const world = both();
      world.feed({ kind: 'lost', readAt: 20, why: 'gone' });
      assert.deepEqual(of(world), ['pending', 'cancelled']);
      world.feed({ kind: 'change_applied', id: ID });
      assert.deepEqual([of(world), world.life.changes], [['approved', 'cancelled'], [SHOWN]]);
    });

    it('does not wait for an image that is being built', () => {
      const world = proposing('capability-block');
      propose(world, { id: OTHER });
      decide(world, SHOWN);
      assert.deepEqual(changesOf(decide(world, SECOND, OTHER)), [[SECOND]]);
    });
  });

  it('stands at once where nothing takes effect', () => {
    const world = proposing();
    assert.deepEqual(kinds(decide(world, null)), ['record_decision']);
    assert.deepEqual([outcome(world), world.life.changes, first(world).told], ['rejected', [], false]);
  });

  it('counts once: what comes after it changes nothing', () => {
    const world = proposing();
    decide(world, null);
    for (const late of [
      { kind: 'decided', id: ID, status: 'approved', by: 'bob', at: 8, ref: SHOWN, notesRef: null },
      { kind: 'decided', id: OTHER, status: 'approved', by: 'bob', at: 8, ref: SHOWN, notesRef: null },
      { kind: 'change_applied', id: ID },
      { kind: 'change_failed', id: ID, reason: 'x' },
      { kind: 'build_failed', id: ID, reasonRef: WHY },
    ] as const satisfies readonly MachineEvent[]) {
      const before = JSON.stringify(world.life.proposals);
      assert.deepEqual(world.feed(late), [], late.kind);
      assert.equal(JSON.stringify(world.life.proposals), before, late.kind);
    }
  });

  it('takes effect in the next turn where this one is being ended', () => {
    for (const end of [
      (world: World) => world.command({ kind: 'freeze' }),
      (world: World) => {
        return world.feed({ kind: 'signal_done', slug: world.life.slug, turn: 1, done });
      },
    ]) {
      const world = proposing();
      end(world);
      assert.deepEqual(kinds(decide(world, SHOWN)), ['check_change']);
      assert.deepEqual(kinds(world.feed({ kind: 'change_applied', id: ID })), ['record_decision']);
      assert.ok(first(world).isSent !== true);
      assert.deepEqual(world.life.changes, [SHOWN]);
    }
  });
});

describe('a decision on a run that is frozen', () => {
  const agree = (world: World): void => {
    decide(world, SHOWN);
    world.feed({ kind: 'change_applied', id: ID });
  };
  /** Frozen as done, with a proposal that waits. */
  const waiting = (): World => {
    const world = proposing();
    world.endTurn({ done });
    assert.equal(world.phase, 'frozen');
    return world;
  };

  it('wakes it, is what its prompt is about, and has been heard of when that turn has begun', () => {
    const world = waiting();
    const [check, ...others] = decide(world, SHOWN);
    assert.deepEqual(others, []);
    assert.ok(check?.kind === 'check_change');
    assert.deepEqual([check.id, check.input.changes, check.input.slug], [ID, [SHOWN], world.life.slug]);
    assert.deepEqual([outcome(world), world.phase, world.life.changes], ['pending', 'frozen', []]);
    const then = world.feed({ kind: 'change_applied', id: ID });
    assert.deepEqual(kinds(then), ['record_decision', 'prepare_turn']);
    const decisions = [{ id: ID, tool: 'pipelock-block', status: 'approved', notesRef: 'n' }];
    assert.deepEqual(world.turn.cause, { kind: 'decision', decisions });
    assert.ok(!first(world).told);
    world.start();
    assert.ok(first(world).told);
    assert.deepEqual(world.atWork.changes, [SHOWN]);
  });

  it('leaves it asleep, and the proposal waiting, where a turn could not begin with that', () => {
    const world = waiting();
    decide(world, SHOWN);
    assert.deepEqual(world.feed({ kind: 'change_failed', id: ID, reason: 'no secret' }), []);
    assert.deepEqual([world.phase, outcome(world), first(world).decision], ['frozen', 'pending', null]);
    assert.match(world.life.timeline.at(-1)?.what ?? '', /was approved and cannot take effect: no secret/);
    assert.deepEqual(kinds(decide(world, null)), ['record_decision', 'prepare_turn'], 'of which it hears');
  });

  it('is looked at after the one before it, with that', () => {
    const world = proposing();
    propose(world, { id: OTHER });
    world.endTurn({ done });
    decide(world, SHOWN);
    assert.deepEqual(decide(world, SECOND, OTHER), []);
    const second = world.feed({ kind: 'change_applied', id: ID }).at(-1);
    assert.ok(second?.kind === 'check_change');
    assert.deepEqual([second.id, second.input.changes], [OTHER, [SHOWN, SECOND]]);
  });

  it('has been heard of, too, by the turn that goes on with one that the machine ended', () => {
    const world = waiting();
    agree(world);
    world.liveTurn({ exitCode: 137 });
    assert.equal(world.turn.cause.kind, 'interrupted');
    world.liveTurn({ done });
    assert.equal(world.phase, 'frozen', 'and wakes it no more');
  });

  it('is not told again to an agent that was told while it ran', () => {
    const world = proposing();
    decide(world, null);
    world.feed({ kind: 'proposal_told', id: ID });
    assert.ok(first(world).told);
    world.endTurn({ done });
    assert.equal(world.phase, 'frozen');
    world.feed({ kind: 'proposal_told', id: OTHER });
    assert.equal(world.life.proposals.length, 1);
  });

  it('is cancelled, with a row, when the run ends before anybody decides', () => {
    const world = waiting();
    const asked = world.command({ kind: 'destroy' });
    assert.deepEqual(kinds(asked), ['record_decision', 'end_step', 'destroy']);
    const [row] = asked;
    assert.ok(row?.kind === 'record_decision');
    const decision = {
      id: ID,
      status: 'cancelled',
      who: 'bot-bottle',
      at: world.now,
      ref: null,
      notesRef: null,
    };
    assert.deepEqual(row.input.decision, decision);
    assert.deepEqual(decide(world, SHOWN), [], 'and nobody decides any more');
  });
});
