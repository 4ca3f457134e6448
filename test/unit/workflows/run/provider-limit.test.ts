import assert from 'node:assert/strict';
import type { ModelTrouble } from '../../../../src/domain/run/model-use.js';
import {
  agentReport,
  comment,
  done,
  kinds,
  modelReport,
  observed,
  POLICY,
  trigger,
  World,
  wrote,
} from '../../../support/machine/world.js';

const UNTIL = 4_600_000;
const LIMITED: ModelTrouble = { kind: 'limited', until: UNTIL };
const OVERLOADED: ModelTrouble = { kind: 'overloaded', status: 529 };

function heldUp(world: World, trouble: ModelTrouble): void {
  world.liveTurn({ exitCode: 1, agent: agentReport('provider'), model: modelReport(5, 0, trouble) });
}

describe('a usage limit', () => {
  it('lets the run sleep until it is over, and the same session goes on', () => {
    const world = World.triggered();
    heldUp(world, LIMITED);
    assert.deepEqual([world.phase, world.reason], ['frozen', 'limited']);
    assert.match(world.life.detail ?? '', /usage limit is reached until 1970-01-01T01:16:40/);
    world.due();
    assert.equal(world.now, UNTIL);
    assert.deepEqual([world.preparing.cause.kind, world.preparing.session], ['limit_over', 'resumed']);
    assert.equal(world.life.session.id, 's');
  });

  it('queues what comes meanwhile', () => {
    const world = World.triggered();
    heldUp(world, LIMITED);
    assert.deepEqual(world.feed(wrote(comment(1))), []);
    world.due();
    assert.equal(world.preparing.references.length, 1);
  });

  it('can be cut short by the operator, after which the clock begins nothing', () => {
    const world = World.triggered();
    heldUp(world, LIMITED);
    const resumed = world.command({ kind: 'resume', promptRef: null });
    assert.deepEqual(kinds(resumed), ['disarm_resume', 'prepare_turn']);
    assert.deepEqual(world.feed({ kind: 'resume_due', at: UNTIL }), []);
  });

  it('is no reason to go on for a run that was paused, taken from the agent or closed meanwhile', () => {
    const freeze = World.triggered();
    heldUp(freeze, LIMITED);
    freeze.command({ kind: 'freeze' });
    assert.equal(freeze.reason, 'paused');
    const untriggered = World.triggered();
    heldUp(untriggered, LIMITED);
    untriggered.feed(observed({ readAt: 50, triggered: false }));
    assert.equal(untriggered.reason, 'untriggered');
    const closed = World.triggered();
    heldUp(closed, LIMITED);
    closed.feed(observed({ readAt: 50, open: false, closedAt: 50 }));
    assert.equal(closed.phase, 'destroying');
    for (const world of [freeze, untriggered, closed])
      assert.deepEqual(world.feed({ kind: 'resume_due', at: UNTIL }), []);
  });

  it('waits for the operator when it is so configured', () => {
    const world = World.triggered({ ...POLICY, resumeLimited: false });
    heldUp(world, LIMITED);
    assert.equal(world.reason, 'limited');
    assert.equal(world.frozen.resumeAt, null);
    assert.match(world.life.detail ?? '', /the operator has to resume/);
  });

  it('is not what froze a run whose agent had said that it was done, or that was stopped for something else', () => {
    const finished = World.triggered();
    finished.liveTurn({ done, model: modelReport(5, 0, LIMITED) });
    assert.equal(finished.reason, 'done');
    const full = World.triggered();
    full.liveTurn({ stopped: 'disk', model: modelReport(5, 0, LIMITED) });
    assert.equal(full.reason, 'disk');
  });

  it('is what ended a turn that waited for it in vain', () => {
    for (const stopped of ['timeout', 'watchdog'] as const) {
      const world = World.triggered();
      world.liveTurn({ stopped, exitCode: 137, model: modelReport(5, 0, LIMITED) });
      assert.equal(world.reason, 'limited', stopped);
    }
  });

  it('waits for containers that are being put away', () => {
    const world = World.triggered();
    heldUp(world, LIMITED);
    world.feed({ kind: 'archive', slug: world.life.slug });
    assert.deepEqual(world.due(), []);
    world.archived();
    assert.ok(world.owed.has('prepare'));
  });
});

describe('an overloaded provider', () => {
  it('is tried again twice in the same session, later each time, and then the run has failed', () => {
    const world = World.triggered();
    const waits: number[] = [];
    for (let turn = 1; turn <= 2; turn += 1) {
      heldUp(world, OVERLOADED);
      assert.equal(world.reason, 'limited');
      const before = world.now;
      world.due();
      waits.push(world.now - before);
      assert.equal(world.preparing.session, 'resumed');
    }
    assert.deepEqual(waits, [60_000, 300_000]);
    heldUp(world, OVERLOADED);
    assert.equal(world.reason, 'failed');
    assert.equal(world.life.detail, 'the provider answers with HTTP 529');
    assert.equal(world.frozen.resumeAt, null);
    assert.equal(world.feed(wrote(comment(1)))[0]?.kind, 'prepare_turn', 'what people write wakes it');
    heldUp(world, OVERLOADED);
    assert.equal(world.reason, 'failed', 'at once');
  });

  it('is told from one that cannot be reached', () => {
    const detailAfter = (status: number): string | null => {
      const world = World.triggered();
      heldUp(world, { kind: 'overloaded', status });
      return world.life.detail;
    };
    assert.match(detailAfter(529) ?? '', /^the provider answers with HTTP 529: tried again at \d{4}-/);
    assert.match(
      detailAfter(0) ?? '',
      /^the provider cannot be reached, as the log says: tried again at \d{4}-/,
    );
  });

  it('has not held up an agent that went on to its end', () => {
    const world = World.triggered();
    world.liveTurn({ model: modelReport(5, 0, OVERLOADED) });
    assert.equal(world.owed.get('prepare')?.kind, 'prepare_turn', 'it is nudged');
    assert.equal(world.life.lastTurn?.reason, 'incomplete');
  });

  it('has its two tries again after a turn that went well', () => {
    const world = World.triggered();
    heldUp(world, OVERLOADED);
    world.due();
    world.liveTurn({ done, model: modelReport(5) });
    world.feed(wrote(comment(1)));
    heldUp(world, OVERLOADED);
    const before = world.now;
    world.due();
    assert.equal(world.now - before, 60_000);
  });
});

describe('a provider that refuses', () => {
  const REFUSED: ModelTrouble = { kind: 'refused', status: 401 };

  it('has failed the run, which says so, and does not ask again by itself', () => {
    const world = World.triggered();
    heldUp(world, REFUSED);
    assert.equal(world.reason, 'failed');
    assert.equal(world.life.detail, 'the provider refuses with HTTP 401, as the log says');
    assert.equal(world.frozen.resumeAt, null);
    assert.equal(world.feed(wrote(comment(1)))[0]?.kind, 'prepare_turn', 'what people write wakes it');
  });

  it('is not what ended an agent that did without that answer, or whose session is too long', () => {
    for (const outcome of ['crashed', 'failed', 'context_full'] as const) {
      const world = World.triggered();
      world.liveTurn({ exitCode: 1, agent: agentReport(outcome), model: modelReport(5, 0, REFUSED) });
      assert.equal(world.reason, 'incomplete', outcome);
    }
  });
});

describe('a life after one that slept', () => {
  it('has no timer of the old one', () => {
    const world = World.triggered();
    heldUp(world, LIMITED);
    world.feed(observed({ readAt: 2_000, open: false, closedAt: 2_000 }));
    world.destroyed();
    world.feed(observed({ readAt: 9_000, trigger: trigger(8_000) }));
    world.continueIntoNextLife();
    assert.deepEqual(world.feed({ kind: 'resume_due', at: UNTIL }), []);
  });
});
