import assert from 'node:assert/strict';
import { refusalOf } from '../../../../src/workflows/run/operator.js';
import { isQuiescent } from '../../../../src/workflows/run/phase.js';
import { FREEZE } from '../../../support/machine/stages.js';
import { comment, kinds, observed, trigger, World, wrote } from '../../../support/machine/world.js';

const RESUME = { kind: 'command', command: { kind: 'resume', promptRef: 'p' }, at: 70 } as const;

/** A frozen run whose containers are being put away. */
function archiving(): World {
  const world = World.frozenDone();
  world.feed({ kind: 'archive', slug: world.life.slug });
  assert.ok(world.frozen.archiving);
  return world;
}

describe('issue machine, containers put away', () => {
  it('asks for it once, in a run that is frozen with nothing under way', () => {
    const world = World.frozenDone();
    assert.deepEqual(kinds(world.feed({ kind: 'archive', slug: world.life.slug })), ['archive']);
    assert.deepEqual(world.feed({ kind: 'archive', slug: world.life.slug }), []);
    assert.equal(world.phase, 'frozen');
    assert.ok(!isQuiescent(world.state));
    world.archived();
    assert.ok(isQuiescent(world.state));
    assert.equal(world.reason, 'done');
  });

  it('ignores another run’s, and one that comes while a turn is prepared, runs or is settled', () => {
    const world = World.frozenDone();
    const slug = world.life.slug;
    assert.deepEqual(world.feed({ kind: 'archive', slug: 'implementer-alice-demo-12-zzzzz' }), []);
    const ignored = (): void => {
      assert.deepEqual(world.feed({ kind: 'archive', slug }), []);
    };
    world.feed(wrote(comment(1)));
    ignored();
    world.start();
    ignored();
    world.finish({ done: { id: 'e', status: 'success', summaryRef: 'r' } });
    ignored();
    world.settle();
    assert.deepEqual(kinds(world.feed({ kind: 'archive', slug })), ['archive']);
  });

  it('wakes for a comment that came meanwhile, also when the containers could not be put away', () => {
    for (const end of [
      { kind: 'archive_ended', failure: null },
      { kind: 'archive_ended', failure: 'engine away' },
    ] as const) {
      const world = archiving();
      assert.deepEqual(world.feed(wrote(comment(1))), []);
      world.pay('archive');
      assert.deepEqual(kinds(world.feed(end)), ['prepare_turn']);
      assert.equal(world.phase, 'rehydrating');
    }
  });

  it('begins the turn that an operator asked for meanwhile, once', () => {
    const world = archiving();
    assert.deepEqual(world.feed(RESUME), []);
    assert.match(refusalOf(world.state, RESUME.command) ?? '', /about to begin/);
    world.archived();
    assert.deepEqual(world.preparing.cause, { kind: 'operator', promptRef: 'p' });
  });

  it('stays frozen when the operator thinks better of it, and when the trigger goes', () => {
    const paused = archiving();
    paused.feed(RESUME);
    paused.feed(FREEZE);
    assert.ok(paused.frozen.archiving);
    paused.archived();
    assert.deepEqual([paused.phase, paused.reason], ['frozen', 'paused']);
    const untriggered = archiving();
    untriggered.feed(RESUME);
    untriggered.feed(observed({ readAt: 20, triggered: false }));
    assert.ok(untriggered.frozen.archiving);
    untriggered.archived();
    assert.deepEqual([untriggered.phase, untriggered.reason], ['frozen', 'untriggered']);
  });

  it('goes on when it is triggered again meanwhile', () => {
    const world = World.frozenDone();
    world.feed(observed({ readAt: 20, triggered: false }));
    world.feed({ kind: 'archive', slug: world.life.slug });
    world.feed(observed({ readAt: 3_000, trigger: trigger(2_000) }));
    assert.ok(world.frozen.archiving);
    world.archived();
    assert.equal(world.phase, 'rehydrating');
    assert.deepEqual(world.turn.cause, { kind: 'retriggered' });
  });

  it('destroys afterwards when the run was closed meanwhile', () => {
    const world = archiving();
    world.feed(RESUME);
    world.feed(observed({ readAt: 20, prs: [{ number: 13, open: false, merged: true, closedAt: 19 }] }));
    assert.equal(world.phase, 'frozen');
    world.archived();
    assert.equal(world.phase, 'destroying');
    world.destroyed();
    assert.equal(world.phase, 'destroyed');
  });
});
