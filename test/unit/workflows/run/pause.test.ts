import assert from 'node:assert/strict';
import type { MachineCommand } from '../../../../src/workflows/run/commands.js';
import { refusalOf } from '../../../../src/workflows/run/operator.js';
import { running, starting } from '../../../support/machine/stages.js';
import { comment, done, ids, kinds, observed, World, wrote } from '../../../support/machine/world.js';

const REASON = 'new turns are paused by alice@desk since then: bot-bottle unpause';
const PAUSED = { kind: 'paused', reason: REASON } as const;
const UNPAUSED = { kind: 'unpaused' } as const;

/** The preparation of the turn finds the pause. */
function meet(world: World): MachineCommand[] {
  if (world.owed.has('claim')) world.claimed();
  return world.prepareEnds({ kind: 'paused', reason: REASON });
}

function held(world: World): void {
  const { reason, held: isHeld } = world.frozen;
  assert.deepEqual([reason, world.life.detail, isHeld], ['paused', REASON, true]);
}

function causeOf(commands: readonly MachineCommand[]): unknown {
  const [prepare] = commands.filter((command) => command.kind === 'prepare_turn');
  assert.ok(prepare !== undefined, `no turn begins: ${kinds(commands).join(', ')}`);
  return { cause: prepare.input.cause.kind, references: ids(prepare.input.references) };
}

describe('a pause of new turns', () => {
  it('holds a first turn back, which is still the first when it is over', () => {
    const world = World.triggered();
    assert.deepEqual(kinds(meet(world)), ['record_state']);
    held(world);
    assert.deepEqual(causeOf(world.feed(UNPAUSED)), { cause: 'first', references: [] });
    world.start();
    assert.equal(world.phase, 'running');
  });

  it('keeps what people write meanwhile, in order, and one turn tells all of it', () => {
    const world = World.woken();
    meet(world);
    assert.deepEqual(world.feed(wrote(comment(2))), [], 'nothing begins');
    held(world);
    assert.deepEqual(causeOf(world.feed(UNPAUSED)), { cause: 'wake', references: [1, 2] });
  });

  it('lets a turn that runs go on to its end', () => {
    const world = running();
    assert.deepEqual(world.feed(PAUSED), []);
    assert.equal(world.phase, 'running');
    world.endTurn({ done });
    assert.equal(world.reason, 'done');
    assert.deepEqual(world.feed(UNPAUSED), [], 'it held nothing back');
  });

  it('takes a turn back that waits for a slot', () => {
    const world = starting();
    assert.deepEqual(kinds(world.feed(PAUSED)), ['stop_turn']);
    world.fail('run', 'stopped before it began');
    held(world);
    assert.equal(causeOf(world.feed(UNPAUSED)) !== null, true);
  });

  it('takes a turn back that is being prepared when the pause comes', () => {
    const world = World.woken();
    world.feed(PAUSED);
    world.prepareEnds({ kind: 'over_budget', reason: 'spent', until: 5_000_000 });
    assert.equal(world.reason, 'budget', 'which would not have begun anyway');
    world.due();
    world.feed(PAUSED);
    world.prepare();
    held(world);
    assert.deepEqual(causeOf(world.feed(UNPAUSED)), { cause: 'wake', references: [1] });
  });

  it('tells an agent again what it was told when it had started just before', () => {
    const world = World.woken();
    world.prepare();
    world.feed(PAUSED);
    world.started();
    world.finish({ exitCode: 143 });
    assert.deepEqual(kinds(world.feed(wrote(comment(2)))), []);
    world.settle();
    held(world);
    assert.deepEqual(causeOf(world.feed(UNPAUSED)), { cause: 'wake', references: [1, 2] });
  });

  it('that is over before the run has heard of it holds nothing back', () => {
    const world = World.woken();
    world.feed(UNPAUSED);
    assert.deepEqual(causeOf(meet(world)), { cause: 'wake', references: [1] });
    world.start();
    assert.equal(world.phase, 'running');
  });

  it('that comes back after that does', () => {
    const world = World.woken();
    for (const event of [UNPAUSED, PAUSED]) world.feed(event);
    meet(world);
    held(world);
  });

  it('that is over while a waiting turn is taken back lets it begin again', () => {
    const world = starting();
    world.feed(PAUSED);
    world.feed(UNPAUSED);
    const begun = world.fail('run', 'stopped');
    assert.deepEqual(causeOf(begun), { cause: 'first', references: [] });
  });

  it('that is over so soon is not what woke the run', () => {
    const world = World.woken();
    world.prepare();
    world.feed(PAUSED);
    world.feed(UNPAUSED);
    world.fail('run', 'stopped');
    assert.equal(world.turn.wokenFrom, 'done');
  });

  it('wakes nobody else when it is over: a run that the operator froze stays so', () => {
    const world = World.frozenDone();
    world.command({ kind: 'freeze' });
    assert.deepEqual(world.feed(UNPAUSED), []);
    assert.equal(world.reason, 'paused');
  });

  it('nor one that is frozen by the operator while it is held back', () => {
    const world = World.woken();
    meet(world);
    assert.equal(refusalOf(world.state, { kind: 'freeze' }), null);
    world.command({ kind: 'freeze' });
    assert.match(refusalOf(world.state, { kind: 'freeze' }) ?? '', /already paused/);
    assert.deepEqual(world.feed(UNPAUSED), []);
    assert.equal(refusalOf(world.state, { kind: 'resume', promptRef: null }), null);
  });

  it('is not got round by resume, which says what to do', () => {
    const world = World.triggered();
    meet(world);
    assert.equal(refusalOf(world.state, { kind: 'resume', promptRef: 'p' }), REASON);
  });

  it('keeps the prompt of a resume that meets it', () => {
    const world = World.frozenDone();
    world.command({ kind: 'resume', promptRef: 'p' });
    meet(world);
    world.feed(UNPAUSED);
    assert.deepEqual(world.preparing.cause, { kind: 'operator', promptRef: 'p' });
  });

  it('does not keep a run from its end, nor from hearing that it is no longer wanted', () => {
    const closed = World.triggered();
    closed.feed(observed({ readAt: 20, open: false, closedAt: 20 }));
    meet(closed);
    assert.equal(closed.phase, 'destroying');
    assert.deepEqual(closed.feed(UNPAUSED), []);
    const unwanted = World.woken();
    meet(unwanted);
    unwanted.feed(observed({ readAt: 20, triggered: false }));
    assert.equal(unwanted.reason, 'untriggered');
    assert.deepEqual(unwanted.feed(UNPAUSED), []);
  });

  it('that is over while containers are put away begins the turn after that', () => {
    const world = World.woken();
    meet(world);
    world.feed({ kind: 'archive', slug: world.life.slug });
    assert.deepEqual(kinds(world.feed(UNPAUSED)), []);
    assert.ok(world.pay('archive'));
    assert.deepEqual(causeOf(world.feed({ kind: 'archive_ended', failure: null })), {
      cause: 'wake',
      references: [1],
    });
  });
});
