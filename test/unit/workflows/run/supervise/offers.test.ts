import assert from 'node:assert/strict';
import { decisionRefusal, proposalRefusal } from '../../../../../src/workflows/run/supervise/proposals.js';
import type { Offer } from '../../../../../src/domain/supervise/offer.js';
import { decide } from '../../../../support/machine/proposing.js';
import { comment, done, ids, World, wrote } from '../../../../support/machine/world.js';

const offer = (n: number): Offer => ({ id: String(n).repeat(32), ref: String(n).repeat(64) });
const idsOf = ({ life }: World): string[] => ids(life.proposals);

/** A run that is frozen, as done, after a turn to which these hosts were refused. */
function offered(...offers: readonly Offer[]): World {
  const world = World.triggered();
  world.liveTurn({ done, offers });
  return world;
}

describe('a host that was refused to an agent that did not ask for it', () => {
  it('is a proposal that waits, with a row that says so, and wakes nobody', () => {
    const world = offered(offer(1));
    assert.deepEqual([world.phase, world.reason], ['frozen', 'done']);
    const rows = world.commands.flatMap((one) =>
      one.kind === 'record_proposal' ? [one.input.proposal] : [],
    );
    assert.deepEqual(
      rows.map(({ id, origin, turn, tool }) => [id, origin, turn, tool]),
      [[offer(1).id, 'refusal', 1, 'pipelock-block']],
    );
  });

  it('is offered once, and only three wait at a time', () => {
    const world = offered(offer(1), offer(2), offer(3), offer(4));
    assert.deepEqual(idsOf(world), [offer(1).id, offer(2).id, offer(3).id]);
    decide(world, null, offer(2).id);
    world.feed(wrote(comment(1)));
    world.liveTurn({ offers: [offer(1), offer(2), offer(4)] });
    assert.deepEqual(
      idsOf(world),
      [1, 2, 3, 4].map((n) => offer(n).id),
    );
  });

  it('finds no room while three wait; what the agent asks for takes none', () => {
    const world = offered(offer(1), offer(2));
    world.feed(wrote(comment(1)));
    world.start();
    for (const id of ['a', 'b', 'c'].map((digit) => digit.repeat(32)))
      world.feed({ kind: 'proposed', id, tool: 'pipelock-block', ref: 'b'.repeat(64), turn: 2, at: 1 });
    world.finish({ offers: [offer(3), offer(4)] });
    const known = idsOf(world);
    assert.ok(known.includes(offer(3).id) && !known.includes(offer(4).id));
  });

  it('that the operator agrees to wakes the run, whose prompt names the file that is in effect', () => {
    const world = offered(offer(1));
    decide(world, offer(1).ref, offer(1).id);
    world.feed({ kind: 'change_applied', id: offer(1).id });
    assert.equal(world.phase, 'rehydrating');
    const { id, ref } = offer(1);
    assert.deepEqual(world.life.turn.cause, {
      kind: 'decision',
      decisions: [{ id, tool: 'pipelock-block', status: 'approved', notesRef: 'n', offerRef: ref }],
    });
    assert.deepEqual(world.life.changes, [ref]);
  });

  it('that the operator rejects is told to nobody', () => {
    const world = offered(offer(1));
    decide(world, null, offer(1).id);
    assert.equal(world.phase, 'frozen');
    assert.deepEqual(
      world.life.proposals.map(({ told }) => told),
      [true],
    );
    assert.match(decisionRefusal(world.state, request(world)) ?? '', /rejected already, by ann@desk/);
  });

  it('takes no room from what the agent asks for', () => {
    const world = offered(offer(1), offer(2), offer(3));
    world.feed(wrote(comment(1)));
    world.start();
    const { slug, turn } = world.life;
    const ask = (n: number): string | null => {
      const proposal = { slug, turn: turn.number, id: n.toString(16).padStart(32, 'a'), ref: 'b'.repeat(64) };
      const refusal = proposalRefusal(world.state, { ...proposal, tool: 'pipelock-block' });
      if (refusal === null)
        world.feed({ kind: 'proposed', tool: 'pipelock-block', at: world.now, ...proposal });
      return refusal;
    };
    const answers = Array.from({ length: 9 }, (_, n) => ask(n));
    assert.deepEqual(answers.slice(0, 8), Array(8).fill(null));
    assert.match(answers[8] ?? '', /^8 proposals wait/);
  });
});

function request(world: World): Parameters<typeof decisionRefusal>[1] {
  const shown = world.life.proposals[0]?.ref ?? '';
  return { id: offer(1).id, verdict: 'approve', shown, modified: null, notesRef: null, by: 'bob@desk' };
}
