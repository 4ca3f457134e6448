import assert from 'node:assert/strict';
import type { MachineEvent } from '../../../../src/domain/run/events.js';
import { after, FREEZE, MOVE, silent } from '../../../support/machine/stages.js';
import { comment, done, observed, trigger, World, wrote } from '../../../support/machine/world.js';

const X = { kind: 'operator', promptRef: 'x' } as const;
const LOST = observed({ readAt: 20_000, triggered: false });
const ASKED = observed({ readAt: 90_000, trigger: trigger(80_000) });
const UNSERVED = { kind: 'unserved', why: 'the bot does not see it' } as const;
const BACK = observed({ readAt: 50_000 });

const resume = (promptRef: string | null): MachineEvent => ({
  kind: 'command',
  command: { kind: 'resume', promptRef },
  at: 1,
});

const archive = (world: World): World => after(world, { kind: 'archive', slug: world.life.slug });

/** The bottle of the turn with that prompt is started. */
function starts(): World {
  const world = after(World.frozenDone(), resume('x'));
  world.prepare();
  return world;
}

/** What is under way of the turn with that prompt comes to nothing, or to its end, before its agent is seen to start. */
const PLACES: Readonly<Record<string, readonly [make: () => World, end: (world: World) => void]>> = {
  'while it is prepared': [() => after(World.frozenDone(), resume('x')), (world) => world.prepare()],
  'while its bottle starts': [starts, (world) => world.fail('run', 'stopped')],
  'while its bottle starts, and it is settled': [starts, (world) => world.endTurn({ exitCode: 143 })],
  'while its bottle starts, and it cannot be settled': [
    starts,
    (world) => {
      world.finish({ exitCode: 143 });
      world.fail('settle');
    },
  ],
  'while containers are put away': [
    () => after(archive(World.frozenDone()), resume('x')),
    (world) => world.archived(),
  ],
  'on a host that is silent': [() => after(starts(), silent(2)), (world) => after(world, MOVE)],
};

describe('the prompt of an operator whose turn is called off before its agent has it', () => {
  for (const [place, [make, end]] of Object.entries(PLACES)) {
    it(`${place}, is the next turn’s when the run is asked for, or seen, again`, () => {
      for (const [away, back] of [
        [LOST, ASKED],
        [UNSERVED, BACK],
      ] as const) {
        const world = after(make(), away);
        end(world);
        assert.equal(world.phase, 'frozen');
        world.feed(back);
        assert.deepEqual(world.turn.cause, X);
        const soon = after(make(), away, back);
        end(soon);
        assert.deepEqual([soon.phase, soon.turn.cause], ['rehydrating', X]);
      }
    });

    it(`${place}, is the next turn’s when the operator resumes what was frozen, unless that has another one`, () => {
      for (const [promptRef, told] of [
        [null, 'x'],
        ['y', 'y'],
      ] as const) {
        const world = after(make(), FREEZE);
        end(world);
        assert.deepEqual([world.phase, world.reason], ['frozen', 'paused']);
        world.feed(resume(promptRef));
        assert.deepEqual(world.turn.cause, { kind: 'operator', promptRef: told });
      }
    });
  }

  it('is kept where the run may not have its turn after all', () => {
    const world = after(World.frozenDone(), LOST, resume('x'));
    world.prepareEnds({ kind: 'refused', reason: 'no label' });
    assert.equal(world.reason, 'untriggered');
    world.feed(ASKED);
    assert.deepEqual(world.turn.cause, X);
  });

  it('is the next turn’s, whatever begins that, when its own failed before the agent had it', () => {
    const failed = {
      prepare: (world: World) => world.fail('prepare'),
      start: (world: World) => {
        world.prepare();
        world.fail('run');
      },
      end: (world: World) => {
        world.prepare();
        world.endTurn({ exitCode: 1 });
      },
    };
    for (const [where, fail] of Object.entries(failed))
      for (const wakes of [resume(null), wrote(comment(1))]) {
        const world = after(World.frozenDone(), resume('x'));
        fail(world);
        assert.equal(world.phase, 'frozen', where);
        world.feed(wakes);
        assert.deepEqual(world.turn.cause, X, where);
      }
  });

  it('is told once', () => {
    const world = after(World.frozenDone(), resume('x'), FREEZE);
    world.prepare();
    world.feed(resume(null));
    world.liveTurn({ done });
    after(world, FREEZE, resume(null));
    assert.deepEqual(world.turn.cause, { kind: 'operator', promptRef: null });
    const begun = after(World.frozenDone(), resume('x'));
    begun.start();
    begun.feed(LOST);
    begun.endTurn({ exitCode: 143 });
    begun.feed(ASKED);
    assert.deepEqual(begun.turn.cause, { kind: 'retriggered' });
  });

  it('is not told again to an agent that has said meanwhile that it is done', () => {
    const world = after(World.frozenDone(), resume('x'));
    world.prepare();
    world.feed(LOST);
    world.endTurn({ exitCode: 143, done });
    world.feed(ASKED);
    assert.deepEqual(world.turn.cause, { kind: 'retriggered' });
  });

  it('is not what a comment is, which waits in any case', () => {
    const world = after(World.frozenDone(), wrote(comment(1)), LOST);
    world.prepare();
    world.feed(ASKED);
    assert.deepEqual(world.turn.cause, { kind: 'retriggered' });
  });
});
