import assert from 'node:assert/strict';
import type { OperatorCommand } from '../../../../src/domain/run/events.js';
import type { MachineCommand } from '../../../../src/workflows/run/commands.js';
import { refusalOf } from '../../../../src/workflows/run/operator.js';
import { running } from '../../../support/machine/stages.js';
import { comment, done, observed, POLICY, World, wrote } from '../../../support/machine/world.js';

const DAY_MS = 24 * 3_600_000;
const RESUME = { kind: 'resume', promptRef: null } as const;
const MORE = { kind: 'budget', turns: 0, tokens: 0, microUsd: 0, dayEnds: null } as const;

const give = (world: World, command: OperatorCommand): string[] =>
  world.feed({ kind: 'command', command, at: world.now }).map(({ kind }: MachineCommand) => kind);

describe('what an operator may ask of a run', () => {
  const refused = (world: World, what: OperatorCommand, why: RegExp): void => {
    assert.match(refusalOf(world.state, what) ?? 'accepted', why, JSON.stringify(what));
  };

  it('is nothing once it is to end, and nothing after that', () => {
    const world = running();
    give(world, { kind: 'destroy' });
    refused(world, { kind: 'freeze' }, /is being destroyed/);
    world.endTurn({ exitCode: 143 });
    world.destroyed();
    refused(world, { kind: 'freeze' }, /there is no run/);
  });

  it('is to freeze it unless it is paused or freezing already', () => {
    const world = running();
    assert.equal(refusalOf(world.state, { kind: 'freeze' }), null);
    give(world, { kind: 'freeze' });
    refused(world, { kind: 'freeze' }, /freezing already/);
    world.endTurn({ exitCode: 143 });
    refused(world, { kind: 'freeze' }, /already paused/);
    assert.equal(refusalOf(World.frozenDone().state, { kind: 'freeze' }), null);
  });

  it('is to give the turn that runs up to a day more', () => {
    for (const ms of [1, DAY_MS]) assert.equal(refusalOf(running().state, { kind: 'extend', ms }), null);
    for (const ms of [0, -1, 0.5, DAY_MS + 1, NaN, Infinity])
      refused(running(), { kind: 'extend', ms }, /extend takes up to 24 h/);
    refused(World.triggered(), { kind: 'extend', ms: 1 }, /no turn is running \(queued\)/);
  });

  it('is to end the turn that runs as done, and none that does not', () => {
    const done = { kind: 'done', status: 'success' } as const;
    assert.equal(refusalOf(running().state, done), null);
    refused(World.triggered(), done, /no turn is running \(queued\)/);
    refused(World.frozenDone(), done, /no turn is running \(frozen\)/);
  });

  it('is to resume it where no turn is under way', () => {
    assert.equal(refusalOf(World.frozenDone().state, RESUME), null);
    refused(World.woken(), RESUME, /a turn is under way \(rehydrating\)/);
  });

  it('is to raise the budget by as much as one command may, of each', () => {
    const { state } = World.frozenDone();
    for (const [name, most] of [
      ['turns', 1_000],
      ['tokens', 1_000_000_000],
      ['microUsd', 10_000_000_000],
    ] as const) {
      assert.equal(refusalOf(state, { ...MORE, [name]: most }), null);
      refused(World.frozenDone(), { ...MORE, [name]: most + 1 }, /at most 1,000 turns/);
      refused(World.frozenDone(), { ...MORE, dayEnds: 5, [name]: -1 }, /at most 1,000 turns/);
    }
    assert.equal(refusalOf(state, { ...MORE, dayEnds: 5 }), null);
    for (const turns of [0.5, NaN]) refused(World.frozenDone(), { ...MORE, turns }, /at most 1,000 turns/);
    refused(World.frozenDone(), MORE, /say by what/);
  });
});

describe('what comes of an operator’s word', () => {
  it('freeze ends the turn that runs, and keeps one that is prepared from beginning', () => {
    const world = running();
    assert.deepEqual(give(world, { kind: 'freeze' }), ['disarm_watchdog', 'stop_turn']);
    world.endTurn({ exitCode: 143 });
    assert.deepEqual([world.phase, world.reason], ['frozen', 'paused']);
    const preparing = World.woken();
    assert.deepEqual(give(preparing, { kind: 'freeze' }), []);
    preparing.prepare();
    assert.deepEqual([preparing.phase, preparing.reason], ['frozen', 'paused']);
    assert.deepEqual(preparing.life.mailbox.waiting, [comment(1)]);
  });

  it('done ends the turn as the operator says, whatever its agent says of it later', () => {
    const world = running();
    assert.deepEqual(give(world, { kind: 'done', status: 'blocked' }), ['disarm_watchdog', 'stop_turn']);
    world.endTurn({ done, exitCode: 143 });
    assert.deepEqual([world.reason, world.life.lastTurn?.doneStatus], ['blocked', 'blocked']);
  });

  it('freeze leaves the run paused, whatever its agent says or leaves in the end, which counts for what is published', () => {
    for (const [result, left] of [
      [{ done }, {}],
      [{ done: { ...done, status: 'blocked' } }, {}],
      [{ setAside: 'x' }, {}],
      [{ stopped: 'timeout' }, {}],
      [{}, { stuck: true }],
    ] as const) {
      const world = running();
      give(world, { kind: 'freeze' });
      world.finish({ exitCode: 143, ...result });
      const settle = world.commands.findLast((one) => one.kind === 'settle_turn');
      const said = 'done' in result ? result.done : null;
      assert.deepEqual(settle?.input.result.done, said);
      world.feed(wrote(comment(1)));
      world.settle(left);
      assert.deepEqual([world.phase, world.reason], ['frozen', 'paused'], JSON.stringify([result, left]));
      assert.equal(world.life.lastTurn?.doneStatus, said?.status ?? null);
    }
  });

  it('freeze leaves it paused, too, where what its agent left could not be collected', () => {
    const world = running();
    give(world, { kind: 'freeze' });
    world.finish({ exitCode: 143, done });
    world.fail('settle');
    assert.equal(world.reason, 'paused');
    const ended = running();
    give(ended, { kind: 'done', status: 'success' });
    ended.finish({ exitCode: 143, done });
    ended.fail('settle');
    assert.equal(ended.reason, 'failed');
  });

  it('resume has its prompt in its row', () => {
    const world = World.frozenDone();
    give(world, { kind: 'resume', promptRef: 'p' });
    const row = world.commands.findLast((one) => one.kind === 'record_command');
    assert.deepEqual(row?.act.detail, { promptRef: 'p' });
  });

  it('extend gives a running turn more patience, and adds up', () => {
    const world = running();
    give(world, { kind: 'extend', ms: 100 });
    give(world, { kind: 'extend', ms: 50 });
    const [rearmed] = world.feed({ kind: 'checkin_age', turn: 1, ageMs: POLICY.watchdogMs });
    assert.deepEqual(rearmed, { kind: 'arm_watchdog', turn: 1, ms: 150 });
  });

  it('resume begins a turn of a run that nobody asks for on the forge any more, which may run to its end', () => {
    const world = World.frozenDone();
    world.feed(observed({ readAt: 20, triggered: false }));
    assert.equal(world.reason, 'untriggered');
    assert.deepEqual(give(world, RESUME), ['prepare_turn']);
    world.liveTurn({ done });
    assert.equal(world.reason, 'done');
  });

  it('resume gives a run its nudges again', () => {
    const world = running();
    world.endTurn();
    world.liveTurn();
    assert.deepEqual([world.reason, world.life.nudges], ['incomplete', 1]);
    give(world, RESUME);
    assert.equal(world.life.nudges, 0);
    world.liveTurn();
    assert.equal(world.turn.cause.kind, 'nudge');
  });

  it('budget begins no turn of a run that rests for something else', () => {
    const world = World.frozenDone();
    assert.deepEqual(give(world, { ...MORE, turns: 5 }), []);
    assert.deepEqual([world.phase, world.reason, world.life.budget.raised.turns], ['frozen', 'done', 5]);
    give(world, { ...MORE, dayEnds: 80 });
    give(world, { ...MORE, dayEnds: 70 });
    assert.equal(world.life.budget.dayLiftedUntil, 80, 'and is taken back by no later word');
  });

  it('destroy says why the run ends', () => {
    const world = World.frozenDone();
    assert.deepEqual(give(world, { kind: 'destroy' }), ['end_step', 'destroy']);
    assert.deepEqual(world.life.closing, { at: world.now, why: 'destroyed by the operator' });
    assert.ok(world.life.timeline.some(({ what }) => what === 'operator: destroy'));
  });
});
