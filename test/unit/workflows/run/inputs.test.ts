import assert from 'node:assert/strict';
import type { MachineCommand } from '../../../../src/workflows/run/commands.js';
import { publishInput } from '../../../../src/workflows/run/inputs.js';
import {
  comment,
  done,
  observed,
  POLICY,
  PREPARED,
  SUBJECT,
  trigger,
  World,
  wrote,
} from '../../../support/machine/world.js';

const KILLED = { exitCode: 137 } as const;

type Kind = MachineCommand['kind'];
type Of<K extends Kind, C = MachineCommand> = C extends { readonly kind: infer All }
  ? K extends All
    ? C
    : never
  : never;

/** The latest command of that kind. */
function latest<K extends Kind>(world: World, kind: K): Of<K> {
  const last = world.commands.findLast((one) => one.kind === kind);
  assert.ok(last !== undefined, `no ${kind}`);
  return last as Of<K>;
}

/** A run whose second turn, woken by two comments, is at work. */
function secondTurn(): World {
  const world = World.frozenDone();
  world.feed(wrote(comment(1), comment(2)));
  world.start();
  return world;
}

describe('what whoever prepares a turn is told', () => {
  it('is whose run it is, where, what for, and what it has so far', () => {
    const world = World.woken();
    const { input } = latest(world, 'prepare_turn');
    assert.deepEqual(input, {
      workflowId: 'gitea:alice/demo#12',
      repoId: 7,
      subject: SUBJECT,
      slug: world.life.slug,
      turn: 2,
      trigger: trigger(5),
      cause: { kind: 'wake' },
      references: [comment(1)],
      omitted: 0,
      limit: null,
      prNumber: 13,
      host: 'h1',
      session: 'resumed',
      dayIsLifted: false,
    });
  });

  it('is the place where the repository is now, and the id that the run’s workflow keeps', () => {
    const world = World.frozenDone();
    world.feed({ ...wrote(comment(1)), place: { repoId: 7, owner: 'bob', repo: 'renamed' } });
    const { subject, workflowId } = latest(world, 'prepare_turn').input;
    assert.deepEqual(subject, { ...SUBJECT, owner: 'bob', repo: 'renamed' });
    assert.equal(workflowId, 'gitea:alice/demo#12');
  });

  it('is whether the operator has lifted the day’s budget, until that day ends', () => {
    const world = World.frozenDone();
    const lift = { kind: 'budget', turns: 0, tokens: 0, microUsd: 0, dayEnds: world.now + 10 } as const;
    world.command(lift);
    world.feed(wrote(comment(1)));
    assert.ok(latest(world, 'prepare_turn').input.dayIsLifted);
    world.liveTurn({ done });
    world.now += 10;
    world.feed(wrote(comment(2)));
    assert.ok(!latest(world, 'prepare_turn').input.dayIsLifted);
  });

  it('is the oldest of its pull requests that is open', () => {
    const world = World.frozenDone();
    const second = { number: 14, open: true, merged: false, closedAt: null };
    world.feed(observed({ readAt: 20, prs: [second] }));
    world.feed(wrote(comment(1)));
    assert.equal(latest(world, 'prepare_turn').input.prNumber, 13);
    world.feed(observed({ readAt: 30, prs: [{ ...second, number: 13, open: false }] }));
    world.liveTurn({ done });
    world.feed(wrote(comment(2)));
    assert.equal(latest(world, 'prepare_turn').input.prNumber, 14);
  });
});

describe('what a host is told of the turn that it is to run', () => {
  it('is the prompt, the session, the commit to go on from, and how long it may take', () => {
    const world = secondTurn();
    const { input, host, cause, told } = latest(world, 'run_turn');
    assert.deepEqual([host, cause, told], ['h1', { kind: 'wake' }, 2]);
    const { prepared, sessionId, prNumber, head, begun, stop, goesOnWith } = input;
    assert.deepEqual([prepared, sessionId, prNumber, head], [PREPARED, 's', 13, 'h']);
    assert.deepEqual([begun, stop, goesOnWith], [false, null, null]);
    assert.deepEqual([input.turnTimeoutMs, input.doneGraceMs], [POLICY.turnTimeoutMs, POLICY.doneGraceMs]);
    assert.ok(!('changes' in input), 'nothing without any');
  });

  it('has the time of the agent’s manifest where that is less than the operator’s', () => {
    for (const [own, most] of [
      [1_000, 1_000],
      [POLICY.turnTimeoutMs + 1, POLICY.turnTimeoutMs],
    ] as const) {
      const world = World.triggered();
      world.start({ turnTimeoutMs: own });
      assert.equal(latest(world, 'run_turn').input.turnTimeoutMs, most);
    }
  });

  it('has the turn that it goes on with, after the machine had ended that', () => {
    const world = secondTurn();
    world.endTurn(KILLED);
    world.start();
    assert.equal(latest(world, 'run_turn').input.goesOnWith, 2);
  });

  it('counts what it was told when it is attached to again, before and after its agent began', () => {
    for (const begin of [false, true]) {
      const world = World.frozenDone();
      world.feed(wrote(comment(1), comment(2)));
      world.prepare();
      if (begin) world.started();
      world.pay('run');
      world.feed({ kind: 'turn_lost', turn: 2, reason: null });
      assert.equal(latest(world, 'attach_turn').told, 2);
    }
  });
});

describe('what whoever settles a turn is told', () => {
  it('is its result with what counts as its end, who asked for the run, and its latest pull request', () => {
    const world = secondTurn();
    world.command({ kind: 'done', status: 'blocked' });
    world.finish({ done, exitCode: 143 });
    const { input, host } = latest(world, 'settle_turn');
    assert.equal(host, 'h1');
    assert.deepEqual(input.result.done, { id: 'operator-2', status: 'blocked', summaryRef: '' });
    assert.deepEqual([input.triggerActor, input.latestPr, input.publish], ['alice', 13, true]);
    assert.deepEqual([input.prepared, input.stuckHash], [PREPARED, null]);
  });

  it('is what STUCK.md held after the turn before: the same one is no news', () => {
    const world = World.triggered();
    world.liveTurn({ done }, { stuck: true, stuckHash: 'x' });
    world.feed(wrote(comment(1)));
    world.start();
    world.finish({ done });
    assert.equal(latest(world, 'settle_turn').input.stuckHash, 'x');
  });

  it('is to publish nothing of a run that is to end', () => {
    const world = secondTurn();
    world.feed({ kind: 'lost', readAt: 20, why: 'gone' });
    world.finish({ exitCode: 143 });
    assert.equal(latest(world, 'settle_turn').input.publish, false);
  });
});

describe('what is asked for a running agent', () => {
  it('is published for whom it works, beside its latest pull request', () => {
    const world = secondTurn();
    const { stage } = world.life;
    assert.ok(stage.kind === 'running');
    const request = { requestId: 'q', contentRef: 'c' };
    const input = publishInput(world.state, world.life, stage, request);
    assert.deepEqual([input.requestId, input.contentRef, input.turn], ['q', 'c', 2]);
    assert.deepEqual([input.prepared, input.triggerActor, input.latestPr], [PREPARED, 'alice', 13]);
    assert.equal(input.stuckHash, null);
    const life = { ...world.life, work: { ...world.life.work, stuckHash: 'x' } };
    assert.equal(publishInput(world.state, life, stage, request).stuckHash, 'x', 'the one that is no news');
  });

  it('is when it was last heard of, from its own host', () => {
    const world = secondTurn();
    world.feed({ kind: 'watchdog_fired', turn: 2 });
    const { host, run } = latest(world, 'ask_checkin');
    assert.deepEqual([host, run.turn, run.slug], ['h1', 2, world.life.slug]);
  });
});

describe('what a run’s rows are told', () => {
  it('is how it rests after a turn, on which host, with its newest pull request that is open', () => {
    const world = secondTurn();
    const opened = { open: true, merged: false, closedAt: null };
    world.feed(observed({ readAt: 20, prs: [15, 14].map((number) => ({ ...opened, number })) }));
    world.endTurn({ stopped: 'disk', exitCode: 137 });
    const { input } = latest(world, 'record_turn');
    assert.deepEqual([input.reason, input.watchdogFired], ['disk', false]);
    assert.deepEqual(input.snapshot, { phase: 'frozen', reason: 'disk', host: 'h1', prNumber: 14 });
    world.command({ kind: 'freeze' });
    const state = latest(world, 'record_state').input;
    assert.deepEqual(state.snapshot, { phase: 'frozen', reason: 'paused', host: 'h1', prNumber: 14 });
  });

  it('is its latest pull request where none is open any more', () => {
    const world = secondTurn();
    world.feed(observed({ readAt: 20, prs: [{ number: 13, open: false, merged: false, closedAt: 1 }] }));
    assert.equal(world.phase, 'running', 'closed before the run was asked for');
    world.endTurn({ done });
    assert.equal(latest(world, 'record_turn').input.snapshot.prNumber, 13);
    world.command({ kind: 'freeze' });
    assert.equal(latest(world, 'record_state').input.snapshot.prNumber, 13);
  });

  it('is that the watchdog ended the turn', () => {
    const world = secondTurn();
    world.feed({ kind: 'watchdog_fired', turn: 2 });
    world.answerCheckin(null);
    world.endTurn({ exitCode: 143 });
    assert.ok(latest(world, 'record_turn').input.watchdogFired);
  });

  it('is of the end when the forge closed it, and whoever removes the run has its branch', () => {
    const world = World.frozenDone();
    world.feed(observed({ readAt: 20, prs: [{ number: 13, open: false, merged: true, closedAt: 19 }] }));
    const { host, input } = latest(world, 'destroy');
    assert.deepEqual([host, input.branch], ['h1', PREPARED.branch]);
    world.destroyed();
    assert.equal(latest(world, 'record_end').input.endedAt, 19);
  });
});
