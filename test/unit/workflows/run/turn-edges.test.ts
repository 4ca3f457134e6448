import assert from 'node:assert/strict';
import type { LostPart } from '../../../../src/domain/run/run-files.js';
import { viewOf } from '../../../../src/workflows/run-view.js';
import { after, FREEZE, MOVE, running, settling, silent, starting } from '../../../support/machine/stages.js';
import {
  agentReport,
  comment,
  done,
  ids,
  kinds,
  observed,
  trigger,
  World,
  wrote,
} from '../../../support/machine/world.js';

const PAUSED = { kind: 'paused', reason: 'paused by ann' } as const;
const UNPAUSED = { kind: 'unpaused' } as const;

const lastNote = ({ life }: World): string => life.timeline.at(-1)?.what ?? '';

describe('an agent that is seen to start', () => {
  const started = (world: World, lost: readonly LostPart[] = []): string[] =>
    kinds(world.feed({ kind: 'turn_started', slug: world.life.slug, turn: 1, at: 1, lost }));

  it('is watched from then on, once', () => {
    const world = starting();
    assert.deepEqual(started(world), ['arm_watchdog']);
    assert.equal(lastNote(world), 'turn 1 started');
    assert.deepEqual(started(world), [], 'it is seen again after its worker was lost');
  });

  it('is not watched where its turn is being ended, by us or by its own word', () => {
    const stopped = after(starting(), { kind: 'history_full' });
    assert.deepEqual(started(stopped), []);
    const world = starting();
    world.feed({ kind: 'signal_done', slug: world.life.slug, turn: 1, done });
    assert.deepEqual(started(world), []);
  });

  it('is said to have lost what had to be made anew', () => {
    const world = starting();
    started(world, ['workspace', 'home']);
    assert.equal(lastNote(world), 'turn 1 started; lost since the last turn, and made anew: workspace, home');
  });

  it('is done as it said first', () => {
    const world = running();
    const { slug } = world.life;
    world.feed({ kind: 'signal_done', slug, turn: 1, done });
    assert.deepEqual(
      world.feed({ kind: 'signal_done', slug, turn: 1, done: { ...done, status: 'failed' } }),
      [],
    );
    assert.equal(world.turn.done?.status, 'success');
  });

  it('is asked for no check-in once its turn is being ended', () => {
    const world = running();
    const said = { kind: 'signal_done', slug: world.life.slug, turn: 1, done } as const;
    for (const end of [FREEZE, said])
      assert.deepEqual(after(running(), end).feed({ kind: 'watchdog_fired', turn: 1 }), [], end.kind);
  });
});

describe('a turn that is lost sight of', () => {
  it('is attached to again, and people read why', () => {
    for (const [reason, said] of [
      [null, /^worker lost sight of the turn/],
      ['no engine', /^attaching again: no engine/],
    ] as const) {
      const world = running();
      world.pay('run');
      assert.deepEqual(kinds(world.feed({ kind: 'turn_lost', turn: 1, reason })), ['attach_turn']);
      assert.match(lastNote(world), said);
    }
  });

  it('of a run that is to end is given up only where nobody can watch it', () => {
    const ending = (): World => {
      const world = after(running(), { kind: 'lost', readAt: 20, why: 'gone' });
      world.pay('run');
      return world;
    };
    assert.deepEqual(kinds(ending().feed({ kind: 'turn_lost', turn: 1, reason: null })), ['attach_turn']);
    assert.deepEqual(kinds(ending().feed({ kind: 'turn_lost', turn: 1, reason: 'x' })), [
      'record_turn',
      'destroy',
    ]);
  });
});

describe('a step that fails for good', () => {
  const failed = (world: World, step: 'run' | 'settle'): World => {
    assert.ok(world.pay(step));
    return after(world, { kind: 'step_failed', step, turn: world.turn.number, reason: 'x' });
  };

  it('leaves a row of the turn whose agent had begun: it ended, why, and what it had published', () => {
    const world = running();
    const result = { kind: 'published', pr: 13, prUrl: 'u', head: 'h1', created: true } as const;
    world.feed({ kind: 'published', requestId: 'r', result });
    failed(world, 'run');
    assert.deepEqual([world.phase, world.reason, world.life.detail], ['frozen', 'failed', 'x']);
    const [row, ...others] = world.turnRows;
    assert.ok(row !== undefined && !('result' in row), 'nobody knows how');
    assert.deepEqual([row.turn, row.reason, others], [1, 'failed', []]);
    assert.deepEqual(row.settled.publish, { kind: 'refused', reason: 'x' });
    assert.equal(world.life.budget.spent.turns, 1, 'one that fails each time ends with its budget');
    assert.deepEqual([row.published, row.snapshot.prNumber], [[{ head: 'h1', pr: 13 }], 13]);
  });

  it('leaves one, too, where the run was to end, and none where no agent was seen to begin', () => {
    const gone = { kind: 'lost', readAt: 20, why: 'gone' } as const;
    const ending = failed(after(running(), gone), 'run');
    assert.deepEqual([ending.phase, ending.turnRows[0]?.reason], ['destroying', 'incomplete']);
    for (const world of [starting(), after(starting(), gone)])
      assert.deepEqual(failed(world, 'run').turnRows, []);
    const lost = after(starting(), gone);
    lost.pay('run');
    assert.deepEqual(kinds(lost.feed({ kind: 'turn_lost', turn: 1, reason: 'x' })), ['destroy']);
  });

  it('leaves a run paused whose operator has frozen it', () => {
    const world = failed(after(starting(), FREEZE), 'run');
    assert.deepEqual([world.phase, world.reason], ['frozen', 'paused']);
  });

  it('leaves a run to wait for its trigger, or to be served, that had lost it', () => {
    const untriggered = observed({ readAt: 20, triggered: false });
    const unserved = { kind: 'unserved', why: 'elsewhere' } as const;
    assert.equal(failed(after(starting(), untriggered), 'run').reason, 'untriggered');
    assert.equal(failed(after(starting(), unserved), 'run').reason, 'unserved');
    assert.equal(failed(after(settling(), untriggered), 'settle').reason, 'untriggered');
  });

  it('is said to be called off, not to have failed for nothing, where it only was', () => {
    const world = after(starting(), observed({ readAt: 60_000, triggered: false }));
    world.fail('run', '');
    assert.deepEqual(
      world.life.timeline.slice(-2).map(({ what }) => what),
      ['run called off', 'turn 1 not run: untriggered'],
    );
  });

  it('is followed by a turn for what came meanwhile, when what the agent left could not be collected', () => {
    const told = after(running(), wrote(comment(1)));
    told.finish({ done });
    after(told, wrote(comment(2)));
    failed(told, 'settle');
    assert.deepEqual([told.phase, told.turn.cause.kind], ['rehydrating', 'wake']);
    assert.deepEqual(ids(told.turn.taken), [1, 2]);
    const asked = after(running(), observed({ readAt: 20, triggered: false }));
    asked.finish();
    after(asked, observed({ readAt: 9_000, trigger: trigger(8_000) }));
    failed(asked, 'settle');
    assert.deepEqual([asked.phase, asked.turn.cause.kind], ['rehydrating', 'retriggered']);
  });

  it('is followed by none where the operator froze the run, or new turns are paused', () => {
    for (const stopped of [after(running(), FREEZE), after(starting(), PAUSED)]) {
      stopped.finish();
      failed(after(stopped, wrote(comment(1))), 'settle');
      assert.deepEqual([stopped.phase, stopped.reason], ['frozen', 'paused']);
    }
  });

  it('lets a turn begin again that was stopped for what is so no more', () => {
    const world = after(starting(), { kind: 'unserved', why: 'elsewhere' }, observed({ readAt: 20 }));
    failed(world, 'run');
    assert.deepEqual([world.phase, world.turn.number], ['rehydrating', 2]);
    const rows = world.commands.flatMap((one) =>
      one.kind === 'record_state' ? [one.input.snapshot.reason] : [],
    );
    assert.equal(rows.at(-1), 'unserved');
    const full = failed(after(starting(), { kind: 'history_full' }), 'run');
    const row = full.commands.findLast((one) => one.kind === 'record_state');
    assert.equal(row?.input.snapshot.reason, 'history');
  });
});

describe('a pause and an operator’s freeze', () => {
  const preparing = (): World => World.woken();

  it('of a turn that is prepared are two: the end of the one does not lift the other', () => {
    for (const events of [
      [FREEZE, UNPAUSED],
      [FREEZE, PAUSED, UNPAUSED],
    ]) {
      const world = after(preparing(), ...events);
      world.prepare();
      assert.deepEqual([world.phase, world.reason, world.frozen.held], ['frozen', 'paused', false]);
    }
  });

  it('that is over again before the turn is prepared holds nothing back', () => {
    const world = after(preparing(), PAUSED, UNPAUSED);
    world.start();
    assert.equal(world.phase, 'running');
  });

  it('goes with a run that is moved: it waits on its next host', () => {
    const paused = after(starting(), PAUSED, silent(1), MOVE);
    assert.deepEqual([paused.phase, paused.reason, paused.frozen.held], ['frozen', 'paused', true]);
    assert.equal(paused.life.detail, 'paused by ann');
    paused.feed(UNPAUSED);
    assert.equal(paused.phase, 'rehydrating');
  });
});

describe('a run that leaves its host', () => {
  it('is asked to go on, not nudged about what is not there', () => {
    const world = World.triggered();
    world.liveTurn();
    assert.equal(world.turn.cause.kind, 'nudge');
    world.start();
    after(world, silent(2), MOVE);
    assert.deepEqual(world.turn.cause, { kind: 'operator', promptRef: null });
  });

  it('rests where nobody asks for it, whether its turn was under way or had ended', () => {
    for (const begin of [running, settling]) {
      const world = after(begin(), observed({ readAt: 20, triggered: false }), silent(1), MOVE);
      assert.deepEqual([world.phase, world.reason], ['frozen', 'untriggered']);
    }
  });

  it('says where what it left is', () => {
    const world = after(settling(), silent(1), FREEZE, MOVE);
    const row = world.commands.find((one) => one.kind === 'record_turn');
    const { publish } = row?.input.settled ?? {};
    assert.deepEqual(publish, { kind: 'refused', reason: 'what turn 1 left is on host h1' });
    assert.ok(world.life.timeline.some(({ what }) => what === 'host h1 is left'));
  });

  it('has nothing on its next one where none of its turns had ended', () => {
    const world = after(running(), silent(1), MOVE);
    world.claimed('h2', 0);
    assert.equal(world.life.move?.kept, false);
  });

  it('ends on its next one when it was closed while that was claimed', () => {
    const world = after(running(), silent(1), MOVE, { kind: 'lost', readAt: 20, why: 'gone' });
    world.claimed('h2', 0);
    assert.equal(world.phase, 'destroying');
  });

  it('is said to end without a silent host, where it is to end', () => {
    const world = after(running(), silent(1), { kind: 'lost', readAt: 20, why: 'gone' });
    assert.match(viewOf(world.state).detail ?? '', /the run ends without it soon$/);
  });
});

describe('a turn that ends', () => {
  it('keeps the head that is known where nobody could read a later one', () => {
    const world = World.woken();
    world.liveTurn({ done }, { head: null });
    assert.equal(world.life.work.head, 'h');
  });

  it('is not begun in a fresh session when its operator had stopped it', () => {
    const world = World.woken();
    world.start();
    world.feed(FREEZE);
    world.endTurn({ exitCode: 143, agent: agentReport('unknown_session') });
    assert.deepEqual([world.phase, world.reason], ['frozen', 'paused']);
  });
});
