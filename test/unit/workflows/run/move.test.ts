import assert from 'node:assert/strict';
import type { OperatorCommand } from '../../../../src/domain/run/events.js';
import { refusalOf } from '../../../../src/workflows/run/operator.js';
import { detailsOf, viewOf } from '../../../../src/workflows/run-view.js';
import { running, settling, silent } from '../../../support/machine/stages.js';
import { comment, done, kinds, World, wrote } from '../../../support/machine/world.js';

const MOVE: OperatorCommand = { kind: 'move' };
const move = (world: World): string[] => world.command(MOVE).map(({ kind }) => kind);

/** A run whose second turn, woken by a comment, is under way. */
function secondTurn(): World {
  const world = World.woken();
  world.start();
  return world;
}

describe('a run whose host is silent', () => {
  it('says what it waits for, since when and what to do, until the host answers again', () => {
    const world = running();
    world.feed(silent(1));
    const { slug } = world.life;
    const told = `waits for host h1 since 1970-01-01T00:15:00.000Z; its worker does not answer: start it, or bot-bottle signal ${slug} move`;
    assert.equal(viewOf(world.state).detail, told);
    assert.ok(detailsOf(world.state).includes(told));
    assert.equal(viewOf(world.state).hostSilentSince, 900_000);
    world.feed({ kind: 'host_back', turn: 1 });
    assert.equal(viewOf(world.state).detail, null);
    assert.equal(viewOf(world.state).hostSilentSince, null);
    assert.equal(world.phase, 'running');
    const notes = world.life.timeline.map(({ what }) => what);
    assert.deepEqual(notes.slice(-2), ['host h1 does not answer', 'host h1 answers again']);
  });

  it('keeps the time since when, when it is said again', () => {
    const world = settling();
    world.feed(silent(1));
    world.feed({ ...silent(1), since: 950_000 } as never);
    assert.equal(viewOf(world.state).hostSilentSince, 900_000);
    world.settle();
    assert.equal(viewOf(world.state).hostSilentSince, null);
  });

  it('ends when it is destroyed, though nothing on the host was removed', () => {
    const world = running();
    world.feed(silent(1));
    world.command({ kind: 'destroy' });
    world.fail('run', 'it did not end');
    assert.equal(world.phase, 'destroying');
    world.fail('destroy', 'host h1 does not answer');
    assert.equal(world.phase, 'destroyed');
    assert.ok(world.commands.some(({ kind }) => kind === 'record_end'));
  });
});

describe('moving a run', () => {
  it('gives up the turn of a silent host, and goes on with all it was told on the next', () => {
    const world = secondTurn();
    world.feed(silent(2));
    assert.deepEqual(move(world), [
      'disarm_watchdog',
      'leave_host',
      'record_turn',
      'record_state',
      'claim_host',
    ]);
    const row = world.turnRows.at(-1);
    assert.deepEqual([row?.turn, row?.reason, row?.epoch], [2, 'failed', 1]);
    assert.equal(world.life.host, null);
    assert.equal(world.turn.number, 3);
    world.claimed('h2', 0);
    assert.deepEqual(world.turn.taken, [comment(1)], 'what nobody is known to have read is told again');
    const prepared = world.preparing;
    assert.equal(prepared.moved, 'lost');
    assert.equal(prepared.session, 'lost');
    assert.equal(prepared.epoch, 1);
    assert.equal(prepared.host, 'h2');
    world.pay('prepare');
    world.prepare();
    assert.ok(world.life.timeline.some(({ what }) => what.includes('from what the forge has')));
  });

  it('goes on in the session when the new host has the end of the last turn', () => {
    const world = secondTurn();
    world.feed(silent(2));
    move(world);
    world.claimed('h2', 1);
    assert.equal(world.preparing.moved, 'kept');
    assert.equal(world.preparing.session, 'resumed');
  });

  it('takes an older end than the last one for nothing', () => {
    const world = secondTurn();
    world.endTurn({ done });
    move(world);
    world.feed(wrote(comment(2)));
    world.claimed('h2', 1);
    assert.equal(world.preparing.moved, 'lost');
  });

  it('tells it once: the turn after is an ordinary one', () => {
    const world = running();
    world.feed(silent(1));
    move(world);
    world.claimed('h2', 0);
    world.liveTurn({ done });
    world.feed(wrote(comment(2)));
    const prepared = world.preparing;
    assert.equal(prepared.moved, undefined);
    assert.equal(prepared.epoch, 1, 'the epoch stays');
  });

  it('tells the new host whether what it may have is older, until an agent has begun there', () => {
    const begun = (holds: number): World => {
      const world = secondTurn();
      world.feed(silent(2));
      move(world);
      world.claimed('h2', holds);
      world.prepare();
      return world;
    };
    const lose = (world: World): void => {
      assert.ok(world.pay('run'));
      world.feed({ kind: 'turn_lost', turn: 3, reason: null });
    };
    const told = (world: World) =>
      world.commands
        .flatMap((one) => (one.kind === 'run_turn' || one.kind === 'attach_turn' ? [one.input.moved] : []))
        .at(-1);
    assert.equal(told(begun(1)), 'kept');
    const world = begun(0);
    assert.equal(told(world), 'lost');
    lose(world);
    assert.equal(told(world), 'lost', 'attached, though nobody has seen an agent start');
    world.started();
    lose(world);
    assert.equal(told(world), undefined);
  });

  it('of a frozen run waits for what wakes it, and claims a host then', () => {
    const world = World.frozenDone();
    assert.deepEqual(move(world), ['record_state']);
    assert.equal(world.phase, 'frozen');
    assert.deepEqual(
      kinds(world.feed(wrote(comment(1)))),
      ['claim_host'],
      'nothing is prepared before there is a host',
    );
    world.claimed('h2', 0);
    assert.equal(world.preparing.host, 'h2');
  });

  it('gives up what a turn left on a silent host, with its rows, and goes on', () => {
    const world = settling();
    world.feed(silent(1));
    const wanted = move(world);
    assert.deepEqual(wanted, ['leave_host', 'record_turn', 'claim_host']);
    assert.equal(world.turn.number, 2);
  });

  it('stays frozen when the operator had ended the turn', () => {
    const world = running();
    world.command({ kind: 'freeze' });
    world.feed(silent(1));
    move(world);
    assert.deepEqual([world.phase, world.reason], ['frozen', 'paused']);
  });

  it('fails openly when no host takes it, and tries again with the next turn', () => {
    const world = World.frozenDone();
    move(world);
    world.feed(wrote(comment(1)));
    world.fail('claim', 'nobody');
    assert.deepEqual([world.phase, world.reason], ['frozen', 'failed']);
    world.command({ kind: 'resume', promptRef: null });
    world.claimed('h2', 0);
    assert.equal(world.preparing.host, 'h2');
  });

  it('is refused while a worker may be at a turn, and without a host', () => {
    const refused = (world: World): string => refusalOf(world.state, MOVE) ?? '';
    assert.match(refused(running()), /nobody has seen host h1 fall silent: freeze it first/);
    assert.match(refused(World.triggered()), /it is on no host/);
    const archiving = World.frozenDone();
    archiving.feed({ kind: 'archive', slug: archiving.life.slug });
    assert.match(refused(archiving), /being put away/);
    const waking = World.woken();
    assert.match(refused(waking), /about to begin/);
  });
});
