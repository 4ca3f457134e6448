import assert from 'node:assert/strict';
import { running } from '../../../support/machine/stages.js';
import { comment, done, observed, PLACE, trigger, World, wrote } from '../../../support/machine/world.js';
import { MAX_MAILBOX } from '../../../../src/workflows/run/mailbox.js';
import type { WakeReference } from '../../../../src/domain/run/events.js';

/** Comment `id` after its `version`th edit. */
function edited(id: number, version: number): WakeReference {
  return { ...comment(id), key: `comment:${String(id)}:v${String(version)}` };
}

const keys = (references: readonly WakeReference[]): string[] => references.map(({ key }) => key);

describe('the mailbox of a run', () => {
  it('replaces a comment that is edited before any prompt has it, in its place', () => {
    const world = running();
    world.feed(wrote(edited(1, 0), edited(2, 0), edited(3, 0)));
    world.feed(wrote(edited(2, 1)));
    assert.deepEqual(keys(world.life.mailbox.waiting), ['comment:1:v0', 'comment:2:v1', 'comment:3:v0']);
  });

  it('wakes once with the new text when a comment is edited after a prompt had it', () => {
    const world = World.frozenDone();
    world.feed(wrote(edited(1, 0)));
    world.liveTurn({ done });
    world.feed(wrote(edited(1, 1)));
    assert.equal(world.phase, 'rehydrating');
    assert.deepEqual(keys(world.turn.taken), ['comment:1:v1']);
    world.feed(wrote(edited(1, 1)));
    assert.deepEqual(world.life.mailbox.waiting, []);
  });

  it('does not tell again what the prompt had in its latest form already', () => {
    const world = World.frozenDone();
    world.feed(wrote(edited(1, 0)));
    world.feed(wrote(edited(1, 1)));
    // Read for the prompt after the first edit, and the second is on its way.
    world.prepare({ readKeys: ['comment:1:v1', 'comment:1:v2'] });
    assert.deepEqual(world.life.mailbox.waiting, []);
    world.feed(wrote(edited(1, 2)));
    assert.deepEqual(world.life.mailbox.waiting, []);
    world.feed(wrote(edited(1, 3)));
    assert.deepEqual(keys(world.life.mailbox.waiting), ['comment:1:v3']);
  });

  it('loses a comment that is deleted before any prompt has it, and nothing else', () => {
    const world = running();
    world.feed(wrote(comment(1), comment(2), { ...comment(2), kind: 'review', key: 'review:2' }));
    world.feed({ kind: 'references', references: [], withdrawn: [2], place: PLACE });
    assert.deepEqual(keys(world.life.mailbox.waiting), [comment(1).key, 'review:2']);
    world.endTurn({ done });
    assert.deepEqual(keys(world.turn.taken), [comment(1).key, 'review:2']);
  });

  it('is not woken by a deletion', () => {
    const world = World.frozenDone();
    assert.deepEqual(world.feed({ kind: 'references', references: [], withdrawn: [1], place: PLACE }), []);
    assert.equal(world.phase, 'frozen');
  });

  it('goes back to sleep for the same reason, and without a wake spent, when what woke it is gone', () => {
    const world = World.frozenDone();
    const { reason } = world;
    world.feed(wrote(comment(1)));
    assert.equal(world.phase, 'rehydrating');
    world.nothingLeft();
    assert.deepEqual([world.phase, world.reason], ['frozen', reason]);
    assert.deepEqual([world.life.wakes, world.turn.taken], [[], []]);
    world.feed(wrote(comment(2)));
    assert.deepEqual(keys(world.turn.taken), [comment(2).key]);
  });

  it('wakes at once for what came while it found out that nothing was left', () => {
    const world = World.woken();
    world.feed(wrote(comment(2)));
    world.nothingLeft();
    assert.equal(world.phase, 'rehydrating');
    assert.deepEqual(keys(world.turn.taken), [comment(2).key]);
  });

  it('ends, not sleeps, when nothing is left and it was closed or frozen meanwhile', () => {
    const closed = World.woken();
    closed.feed(
      observed({
        readAt: 90_000,
        open: false,
        closedAt: 80_000,
        prs: [{ number: 13, open: false, merged: true, closedAt: 80_000 }],
      }),
    );
    closed.nothingLeft();
    assert.equal(closed.phase, 'destroying');

    const frozen = World.woken();
    frozen.command({ kind: 'freeze' });
    frozen.nothingLeft();
    assert.deepEqual([frozen.phase, frozen.reason], ['frozen', 'paused']);
  });

  it('keeps the newest of three thousand comments, says how many it left out, and stays small', () => {
    const world = running();
    for (let at = 0; at < 15; at += 1)
      world.feed(wrote(...Array.from({ length: 200 }, (_, index) => comment(at * 200 + index + 1))));
    assert.equal(world.life.mailbox.waiting.length, MAX_MAILBOX);
    assert.equal(world.life.mailbox.waiting.at(-1)?.id, 3_000);
    assert.equal(world.life.mailbox.omitted, 3_000 - MAX_MAILBOX);
    assert.ok(JSON.stringify(world.state).length < 700_000, 'far below what one argument may have');
    world.endTurn({ done });
    assert.equal(world.preparing.omitted, 3_000 - MAX_MAILBOX);
    world.start();
    assert.equal(world.life.mailbox.omitted, 0);
  });

  it('holds a comment once that was edited while a turn was prepared which then did not run', () => {
    const world = World.frozenDone();
    world.feed(wrote(edited(1, 0), edited(2, 0)));
    world.feed(wrote(edited(1, 1)));
    world.fail('prepare');
    assert.deepEqual(keys(world.life.mailbox.waiting), ['comment:1:v1', 'comment:2:v0']);
  });

  describe('of a turn that is stopped just as its agent starts', () => {
    const freeze = (world: World): unknown => world.command({ kind: 'freeze' });
    const resume = (world: World): unknown => world.command({ kind: 'resume', promptRef: null });
    const unlabel = (world: World): unknown => world.feed(observed({ readAt: 90_000, triggered: false }));
    const relabel = (world: World): unknown =>
      world.feed(observed({ readAt: 91_000, trigger: trigger(90_500) }));
    const leave = (world: World): unknown => world.feed({ kind: 'unserved', why: 'x' });
    const stops = [
      ['paused', freeze, resume],
      ['untriggered', unlabel, relabel],
      ['unserved', leave, relabel],
    ] as const;
    for (const [reason, stop, goOn] of stops)
      for (const isHeard of [true, false])
        for (const isSettled of [true, false])
          it(`is told once more after ${reason}${isHeard ? '' : ', unheard'}${isSettled ? '' : ', unsettled'}`, () => {
            const world = World.woken();
            world.prepare();
            stop(world);
            if (isHeard) world.started();
            world.finish({ exitCode: 143 });
            world.feed(wrote(comment(2)));
            if (isSettled) world.settle();
            else world.fail('settle');
            assert.equal(world.reason, reason);
            goOn(world);
            assert.deepEqual(world.turn.taken, [{ ...comment(1), again: true }, comment(2)]);
          });

    it('is not told again where the agent was seen to start before', () => {
      const world = World.woken();
      world.start();
      freeze(world);
      world.started();
      world.endTurn({ exitCode: 143 });
      resume(world);
      assert.deepEqual(world.turn.taken, []);
    });
  });
});
