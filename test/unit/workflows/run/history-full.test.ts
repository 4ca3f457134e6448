import assert from 'node:assert/strict';
import { starting } from '../../../support/machine/stages.js';
import { comment, done, ids, kinds, World, wrote } from '../../../support/machine/world.js';

const FREEZE = { kind: 'freeze' } as const;

/** The turn is stopped for it, with a comment waiting. */
function full(): World {
  const world = World.woken();
  world.start();
  world.isFull = true;
  world.feed({ kind: 'history_full' });
  world.feed(wrote(comment(2)));
  return world;
}

/** The next execution goes on by itself. */
function goOn(world: World): { readonly cause: string; readonly references: readonly number[] } {
  world.continueAsNew();
  world.due();
  return asked(world);
}

function asked(world: World): { readonly cause: string; readonly references: readonly number[] } {
  const { cause, references } = world.preparing;
  return { cause: cause.kind, references: ids(references) };
}

describe('a turn that would begin in a history that is full', () => {
  it('begins in the next execution, once, with what waits', () => {
    const world = full();
    world.finish({ exitCode: 143 });
    assert.deepEqual(kinds(world.settle()), ['record_turn']);
    assert.deepEqual([world.phase, world.reason], ['frozen', 'history']);
    assert.deepEqual(world.feed(wrote(comment(3))), [], 'it is about to go on');
    assert.deepEqual(goOn(world), { cause: 'wake', references: [2, 3] });
    assert.equal(world.life.wakes.length, 2, 'it counts as one wake');
    world.liveTurn({ done });
    assert.deepEqual([world.reason, world.turn.number], ['done', 3]);
  });

  it('keeps what it was for, when it was stopped before its agent started', () => {
    const world = World.woken();
    world.prepare();
    world.isFull = true;
    world.feed({ kind: 'history_full' });
    world.fail('run', 'stopped before it began');
    assert.deepEqual(world.frozen.deferred, { cause: { kind: 'wake' }, wokenFrom: 'done' });
    assert.deepEqual(goOn(world), { cause: 'wake', references: [1] });
  });

  it('is told again, when its agent started after it was stopped', () => {
    const world = World.woken();
    world.prepare();
    world.isFull = true;
    world.feed({ kind: 'history_full' });
    world.started();
    world.endTurn({ exitCode: 143 });
    assert.deepEqual([world.reason, world.life.lastTurn?.stopped], ['history', 'history']);
    assert.deepEqual(goOn(world), { cause: 'wake', references: [1] });
    assert.deepEqual(
      world.turn.taken.map(({ again }) => again),
      [true],
    );
    assert.equal(world.life.wakes.length, 1, 'it counts as one wake');
  });

  it('is not told again, when its agent had started before', () => {
    const world = World.woken();
    world.start();
    world.isFull = true;
    world.feed({ kind: 'history_full' });
    world.started();
    world.endTurn({ exitCode: 143 });
    assert.deepEqual([world.reason, world.frozen.resumeAt], ['history', null]);
  });

  it('is not launched when it is prepared', () => {
    const world = World.woken();
    world.isFull = true;
    world.prepare();
    assert.deepEqual([world.phase, world.ran.length], ['frozen', 1]);
    assert.deepEqual(goOn(world), { cause: 'wake', references: [1] });
  });

  it('is what the operator asked for last, and waits for as long as the operator says', () => {
    const world = full();
    world.endTurn({ exitCode: 143 });
    world.command({ kind: 'resume', promptRef: 'p' });
    world.command(FREEZE);
    assert.deepEqual([world.reason, world.frozen.resumeAt], ['paused', null]);
    world.command({ kind: 'resume', promptRef: 'q' });
    world.command(FREEZE);
    world.continueAsNew();
    assert.deepEqual(world.owed.has('resume'), false);
    world.command({ kind: 'resume', promptRef: 'r' });
    assert.deepEqual(asked(world), { cause: 'operator', references: [2] });
  });

  it('is one that was held back, when the pause is over', () => {
    const world = starting();
    world.feed({ kind: 'paused', reason: 'paused by ann' });
    world.fail('run');
    world.isFull = true;
    assert.deepEqual(kinds(world.feed({ kind: 'unpaused' })), []);
    assert.equal(world.frozen.held, false);
    assert.deepEqual(goOn(world), { cause: 'first', references: [] });
  });
});
