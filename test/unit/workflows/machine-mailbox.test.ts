import assert from 'node:assert/strict';
import { comment, observed, PLACE, PREPARED, trigger, World, wrote } from '../../support/machine/world.js';
import { MAX_MAILBOX } from '../../../src/workflows/machine-mailbox.js';
import type { WakeReference } from '../../../src/domain/events.js';

/** Comment `id` after its `version`th edit. */
function edited(id: number, version: number): WakeReference {
  return { ...comment(id), key: `comment:${String(id)}:v${String(version)}` };
}

function running(): World {
  const world = new World();
  world.feed(observed({ readAt: 10_000, trigger: trigger(5_000) }));
  world.start();
  return world;
}

const keys = (references: readonly WakeReference[]): string[] => references.map(({ key }) => key);
const done = { id: 'd', status: 'success', summaryRef: 'r' } as const;

describe('the mailbox of a run', () => {
  it('replaces a comment that is edited before any prompt has it, in its place', () => {
    const world = running();
    world.feed(wrote(edited(1, 0), edited(2, 0), edited(3, 0)));
    world.feed(wrote(edited(2, 1)));
    assert.deepEqual(keys(world.state.mailbox), ['comment:1:v0', 'comment:2:v1', 'comment:3:v0']);
  });

  it('wakes once with the new text when a comment is edited after a prompt had it', () => {
    const world = World.frozen();
    world.feed(wrote(edited(1, 0)));
    world.start();
    world.finish({ done });
    world.settle();
    world.feed(wrote(edited(1, 1)));
    assert.equal(world.state.phase, 'rehydrating');
    assert.deepEqual(keys(world.state.taken), ['comment:1:v1']);
    world.feed(wrote(edited(1, 1)));
    assert.deepEqual(world.state.mailbox, []);
  });

  it('does not tell again what the prompt had in its latest form already', () => {
    const world = World.frozen();
    world.feed(wrote(edited(1, 0)));
    world.feed(wrote(edited(1, 1)));
    world.pay('prepare');
    // Read for the prompt after the first edit, and the second is on its way.
    world.feed({
      kind: 'prepared',
      turn: 2,
      prepared: { ...PREPARED, readKeys: ['comment:1:v1', 'comment:1:v2'] },
    });
    assert.deepEqual(world.state.mailbox, []);
    world.feed(wrote(edited(1, 2)));
    assert.deepEqual(world.state.mailbox, []);
    world.feed(wrote(edited(1, 3)));
    assert.deepEqual(keys(world.state.mailbox), ['comment:1:v3']);
  });

  it('loses a comment that is deleted before any prompt has it, and nothing else', () => {
    const world = running();
    world.feed(wrote(comment(1), comment(2), { ...comment(2), kind: 'review', key: 'review:2' }));
    world.feed({ kind: 'references', references: [], withdrawn: [2], place: PLACE });
    assert.deepEqual(keys(world.state.mailbox), [comment(1).key, 'review:2']);
    world.finish({ done });
    world.settle();
    assert.deepEqual(keys(world.state.taken), [comment(1).key, 'review:2']);
  });

  it('is not woken by a deletion', () => {
    const world = World.frozen();
    assert.deepEqual(world.feed({ kind: 'references', references: [], withdrawn: [1], place: PLACE }), []);
    assert.equal(world.state.phase, 'frozen');
  });

  it('goes back to sleep for the same reason, and without a wake spent, when what woke it is gone', () => {
    const world = World.frozen();
    const { frozenReason } = world.state;
    world.feed(wrote(comment(1)));
    assert.equal(world.state.phase, 'rehydrating');
    world.pay('prepare');
    world.feed({ kind: 'nothing_left', turn: 2 });
    assert.deepEqual([world.state.phase, world.state.frozenReason], ['frozen', frozenReason]);
    assert.deepEqual([world.state.wakes, world.state.taken], [[], []]);
    world.feed(wrote(comment(2)));
    assert.deepEqual(keys(world.state.taken), [comment(2).key]);
  });

  it('wakes at once for what came while it found out that nothing was left', () => {
    const world = World.frozen();
    world.feed(wrote(comment(1)));
    world.feed(wrote(comment(2)));
    world.pay('prepare');
    world.feed({ kind: 'nothing_left', turn: 2 });
    assert.equal(world.state.phase, 'rehydrating');
    assert.deepEqual(keys(world.state.taken), [comment(2).key]);
  });

  it('ends, not sleeps, when nothing is left and it was closed or frozen meanwhile', () => {
    const closed = World.frozen();
    closed.feed(wrote(comment(1)));
    closed.feed(
      observed({
        readAt: 90_000,
        open: false,
        closedAt: 80_000,
        prs: [{ number: 13, open: false, merged: true, closedAt: 80_000 }],
      }),
    );
    closed.pay('prepare');
    closed.feed({ kind: 'nothing_left', turn: 2 });
    assert.equal(closed.state.phase, 'destroying');

    const frozen = World.frozen();
    frozen.feed(wrote(comment(1)));
    frozen.feed({ kind: 'command', command: { kind: 'freeze' }, at: 1 });
    frozen.pay('prepare');
    frozen.feed({ kind: 'nothing_left', turn: 2 });
    assert.deepEqual([frozen.state.phase, frozen.state.frozenReason], ['frozen', 'paused']);
  });

  it('keeps the newest of ten thousand comments, says how many it left out, and stays small', () => {
    const world = running();
    for (let at = 0; at < 50; at += 1)
      world.feed(wrote(...Array.from({ length: 200 }, (_, index) => comment(at * 200 + index + 1))));
    assert.equal(world.state.mailbox.length, MAX_MAILBOX);
    assert.equal(world.state.mailbox.at(-1)?.id, 10_000);
    assert.equal(world.state.omitted, 10_000 - MAX_MAILBOX);
    assert.ok(JSON.stringify(world.state).length < 700_000, 'far below what one argument may have');
    world.finish({ done });
    world.settle();
    const prepare = world.commands.findLast((command) => command.kind === 'prepare_turn');
    assert.equal(prepare?.omitted, 10_000 - MAX_MAILBOX);
    world.start();
    assert.equal(world.state.omitted, 0);
  });

  it('holds a comment once that was edited while a turn was prepared which then did not run', () => {
    const world = World.frozen();
    world.feed(wrote(edited(1, 0), edited(2, 0)));
    world.feed(wrote(edited(1, 1)));
    world.pay('prepare');
    const turn = world.state.turn;
    world.feed({ kind: 'step_failed', step: 'prepare', turn, reason: 'x' });
    assert.deepEqual(keys(world.state.mailbox), ['comment:1:v1', 'comment:2:v0']);
  });
});
