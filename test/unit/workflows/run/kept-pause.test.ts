import assert from 'node:assert/strict';
import type { MachineEvent } from '../../../../src/domain/run/events.js';
import { after, FREEZE, MOVE, running, settling, silent, starting } from '../../../support/machine/stages.js';
import { comment, kinds, observed, trigger, World, wrote } from '../../../support/machine/world.js';

const RESUME = { kind: 'command', command: { kind: 'resume', promptRef: null }, at: 1 } as const;
const UNSERVED = { kind: 'unserved', why: 'the bot does not see it' } as const;
const BACK = observed({ readAt: 50_000 });
const LOST = observed({ readAt: 60_000, triggered: false });
const ASKED = observed({ readAt: 90_000, trigger: trigger(80_000) });

function rests(world: World, reason: string): void {
  assert.deepEqual([world.phase, world.reason], ['frozen', reason]);
}

describe('a run that the operator froze, and whose repository is out of sight for a while', () => {
  const frozen = (...events: readonly MachineEvent[]): World => after(World.frozenDone(), FREEZE, ...events);

  it('is paused again when it is seen again, until the operator resumes it', () => {
    const world = frozen(UNSERVED, wrote(comment(1)));
    rests(world, 'unserved');
    assert.deepEqual(kinds(world.feed(BACK)), ['record_state']);
    rests(world, 'paused');
    assert.deepEqual([world.life.withheld, world.life.detail], [null, null]);
    assert.deepEqual(kinds(world.feed(RESUME)), ['prepare_turn']);
  });

  it('says again why it was paused', () => {
    const world = after(World.frozenDone(), FREEZE);
    world.life.detail = 'the operator looks at it';
    after(world, UNSERVED, BACK);
    rests(world, 'paused');
    assert.equal(world.life.detail, 'the operator looks at it');
  });

  it('goes on where it was only woken too often', () => {
    const world = World.frozenDone();
    for (let id = 1; world.reason === 'done'; id += 1) {
      world.feed(wrote(comment(id)));
      if (world.phase === 'rehydrating')
        world.liveTurn({ done: { id: 'd', status: 'success', summaryRef: '' } });
    }
    assert.match(world.life.detail ?? '', /^woken 10 times/);
    after(world, UNSERVED, BACK);
    assert.deepEqual([world.phase, world.turn.cause.kind], ['rehydrating', 'retriggered']);
    assert.deepEqual(world.turn.taken.length, 1);
  });

  it('is so, too, when it was frozen while its turn was on its way, or its containers are put away', () => {
    const called: Readonly<Record<string, () => World>> = {
      prepared: () => {
        const world = after(World.woken(), FREEZE, UNSERVED);
        world.prepare();
        return world;
      },
      'not begun': () => {
        const world = after(starting(), FREEZE, UNSERVED);
        world.fail('run');
        return world;
      },
      running: () => {
        const world = after(running(), FREEZE, UNSERVED);
        world.endTurn({ exitCode: 143 });
        return world;
      },
      'not settled': () => {
        const world = after(running(), FREEZE);
        world.finish({ exitCode: 143 });
        world.feed(UNSERVED);
        world.fail('settle');
        return world;
      },
      moved: () => after(running(), silent(1), FREEZE, UNSERVED, MOVE),
      'put away': () => {
        const world = frozen();
        return after(world, { kind: 'archive', slug: world.life.slug }, UNSERVED);
      },
    };
    for (const [stage, make] of Object.entries(called)) {
      const world = make();
      assert.equal(world.reason, 'unserved', stage);
      world.feed(BACK);
      if (world.owed.has('archive')) world.archived();
      assert.deepEqual([stage, world.phase, world.reason], [stage, 'frozen', 'paused']);
    }
  });

  it('is woken by a new trigger, also one that was lost meanwhile', () => {
    for (const world of [frozen(UNSERVED, ASKED), frozen(UNSERVED, LOST, ASKED)])
      assert.equal(world.phase, 'rehydrating');
    const archived = frozen(UNSERVED);
    after(archived, { kind: 'archive', slug: archived.life.slug }, ASKED);
    archived.archived();
    assert.equal(archived.phase, 'rehydrating');
    rests(frozen(LOST, UNSERVED, observed({ readAt: 70_000 })), 'paused');
  });

  it('goes on where the operator had resumed it', () => {
    const world = frozen(UNSERVED, RESUME, UNSERVED);
    world.prepare();
    world.feed(BACK);
    assert.equal(world.phase, 'rehydrating');
    const archiving = frozen();
    after(archiving, { kind: 'archive', slug: archiving.life.slug }, RESUME, UNSERVED, BACK);
    archiving.archived();
    assert.equal(archiving.phase, 'rehydrating');
    const done = after(settling(), UNSERVED);
    done.settle();
    done.feed(BACK);
    assert.equal(done.phase, 'rehydrating', 'as one does that nobody froze');
  });
});
