import assert from 'node:assert/strict';
import type { AgentOutcome } from '../../../../src/domain/agent/agent-stream.js';
import type { SettledTurn } from '../../../../src/domain/run/events.js';
import type { FrozenReason, StopReason, TurnResult } from '../../../../src/domain/run/turn.js';
import { decide, proposing } from '../../../support/machine/proposing.js';
import { running } from '../../../support/machine/stages.js';
import {
  agentReport,
  comment,
  done,
  modelReport,
  POLICY,
  World,
  wrote,
} from '../../../support/machine/world.js';

function after(result: Partial<TurnResult>, left: Partial<SettledTurn> = {}): World {
  const world = World.triggered();
  world.liveTurn(result, left);
  return world;
}

describe('why a run is frozen after a turn', () => {
  it('is what stopped the turn, as people know it', () => {
    const reasons: Partial<Record<StopReason, FrozenReason>> = {
      watchdog: 'watchdog',
      timeout: 'timeout',
      sidecar_died: 'sidecar_died',
      queue_flood: 'queue_flood',
      disk: 'disk',
      budget: 'budget',
      operator: 'paused',
      rebuilt: 'incomplete',
      history: 'history',
    };
    // With some of its budget left it would go on by itself.
    const model = modelReport(POLICY.budget.tokens);
    for (const [stopped, reason] of Object.entries(reasons))
      assert.equal(after({ stopped: stopped as StopReason, exitCode: 143, model }).reason, reason, stopped);
  });

  it('is that a request of it was set aside, which a person has to look at, whatever its agent says', () => {
    const world = after({ setAside: 'a request crashed the worker twice', done }, { stuck: true });
    assert.deepEqual([world.reason, world.life.detail], ['failed', 'a request crashed the worker twice']);
  });

  it('is kept with the turn: how it ended, as what, and who ended it', () => {
    assert.deepEqual(after({ exitCode: 3 }).life.lastTurn, {
      turn: 1,
      exitCode: 3,
      doneStatus: null,
      reason: 'incomplete',
      stopped: null,
    });
    const blocked = after({ done: { ...done, status: 'blocked' } }).life.lastTurn;
    assert.deepEqual([blocked?.doneStatus, blocked?.reason], ['blocked', 'blocked']);
    assert.equal(after({ exitCode: 137, stopped: 'disk' }).life.lastTurn?.stopped, 'disk');
    const world = running();
    world.command({ kind: 'freeze' });
    world.endTurn({ exitCode: 143 });
    assert.equal(world.life.lastTurn?.stopped, 'operator');
    assert.match(world.life.timeline.at(-1)?.what ?? '', /^turn 1 ended: paused, nothing$/);
  });
});

describe('what people read beside it', () => {
  it('is how the agent ended, where that explains something', () => {
    const told: Readonly<Record<AgentOutcome, RegExp | null>> = {
      finished: null,
      stopped: null,
      unknown_session: /does not know its session/,
      context_full: /too long for its model/,
      provider: /provider refused or failed/,
      not_understood: /printed no events/,
      cut: /ended in the middle/,
      empty: /printed nothing/,
      crashed: /crashed/,
      failed: /says that it failed/,
    };
    for (const [outcome, text] of Object.entries(told)) {
      const { detail } = after({ exitCode: 1, agent: agentReport(outcome as AgentOutcome) }).life;
      if (text === null) assert.equal(detail, null, outcome);
      else assert.match(detail ?? '', text);
    }
  });

  it('is what the gate refused first of all, and nothing of a turn that is done', () => {
    const refused = { publish: { kind: 'refused', reason: 'a CI file' } } as const;
    const crashed = { exitCode: 1, agent: agentReport('crashed') } as const;
    assert.equal(after(crashed, refused).life.detail, 'a CI file');
    const unstarted = { exitCode: 122, agent: agentReport('empty') };
    const git = 'the agent was not started: git failed in its workspace, as the log says';
    assert.equal(after(unstarted, refused).life.detail, git);
    assert.equal(after({ ...unstarted, agent: agentReport('cut') }, refused).life.detail, 'a CI file');
    assert.equal(after({ ...crashed, done }).life.detail, null);
    const limit = { kind: 'disk', detail: 'too much' } as const;
    assert.equal(after({ ...crashed, limit }).life.detail, 'too much');
    assert.match(
      after({ ...crashed, exitCode: 137 }).life.timeline.at(-1)?.what ?? '',
      /it was killed; it goes on/,
    );
  });
});

describe('a nudge', () => {
  const isNudged = (result: Partial<TurnResult>, left: Partial<SettledTurn> = {}): boolean =>
    after(result, left).turn.cause.kind === 'nudge';

  it('is for an agent that ended well and left something undone, and says what', () => {
    const cause = (...turn: Parameters<typeof after>): unknown => after(...turn).turn.cause;
    assert.deepEqual(cause({}), { kind: 'nudge', why: 'not_done' });
    assert.deepEqual(cause({}, { uncommitted: 1, uncommittedRef: 'u' }), {
      kind: 'nudge',
      why: 'not_done',
      pathsRef: 'u',
    });
    assert.deepEqual(cause({ done }, { uncommitted: 1, uncommittedRef: 'u' }), {
      kind: 'nudge',
      why: 'uncommitted',
      pathsRef: 'u',
    });
    const publish = { kind: 'refused', reason: 'CI file' } as const;
    assert.deepEqual(cause({ done }, { publish }), { kind: 'nudge', why: 'refused', reason: 'CI file' });
    assert.ok(!isNudged({ done }));
  });

  it('is for none that failed, was stopped, or is blocked by something else', () => {
    assert.ok(!isNudged({ exitCode: 1 }));
    assert.ok(!isNudged({ agent: agentReport('cut') }));
    assert.ok(!isNudged({ stopped: 'rebuilt' }));
    assert.ok(!isNudged({ done: { ...done, status: 'blocked' } }, { uncommitted: 1, uncommittedRef: 'u' }));
    assert.ok(!isNudged({}, { stuck: true, stuckHash: 'x' }));
    const stopped = running();
    stopped.feed({ kind: 'history_full' });
    stopped.endTurn();
    assert.equal(stopped.turn.number, 1);
  });

  it('gives way to what an operator decided, which is news enough', () => {
    const world = proposing();
    decide(world, null);
    world.endTurn();
    assert.deepEqual([world.turn.cause.kind, world.life.nudges], ['decision', 0]);
  });

  it('is for none that waits for the operator, whose decision wakes it', () => {
    const world = proposing();
    world.endTurn();
    assert.deepEqual([world.reason, world.turn.number, world.life.nudges], ['incomplete', 1, 0]);
    decide(world, null);
    assert.deepEqual([world.turn.cause.kind, world.turn.number], ['decision', 2]);
  });

  it('is for one that was done with what waits for the operator, and left something else undone', () => {
    const world = proposing();
    world.endTurn({ done }, { publish: { kind: 'refused', reason: 'CI file' } });
    assert.deepEqual(world.turn.cause, { kind: 'nudge', why: 'refused', reason: 'CI file' });
  });

  it('is for one that waits for nothing, though a host was refused to it', () => {
    const world = running();
    world.endTurn({ offers: [{ id: 'a'.repeat(32), ref: 'b'.repeat(64) }] });
    assert.deepEqual(world.turn.cause, { kind: 'nudge', why: 'not_done' });
  });

  it('comes again after somebody woke the run', () => {
    const world = World.triggered();
    world.liveTurn();
    world.liveTurn();
    assert.equal(world.reason, 'incomplete');
    world.feed(wrote(comment(1)));
    world.liveTurn();
    assert.equal(world.turn.cause.kind, 'nudge');
  });
});
