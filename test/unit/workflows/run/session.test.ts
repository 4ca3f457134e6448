import assert from 'node:assert/strict';
import type { AgentOutcome } from '../../../../src/domain/agent/agent-stream.js';
import {
  agentReport,
  comment,
  done,
  ids,
  modelReport,
  POLICY,
  World,
  wrote,
} from '../../../support/machine/world.js';

function begins(world: World): { readonly session: string; readonly cause: string; readonly ids: number[] } {
  const { session, cause, references } = world.preparing;
  return { session, cause: cause.kind, ids: ids(references) };
}

describe('the agent’s session', () => {
  it('goes on from turn to turn', () => {
    const world = World.triggered();
    assert.equal(begins(world).session, 'first');
    world.liveTurn({ done });
    world.feed(wrote(comment(1)));
    assert.equal(begins(world).session, 'resumed');
  });

  it('is left for a fresh one after so many turns', () => {
    const world = World.triggered({ ...POLICY, session: { turns: 2, tokens: 800 } });
    const sessions: string[] = [];
    for (let id = 1; id <= 5; id += 1) {
      sessions.push(begins(world).session);
      world.liveTurn({ done, sessionId: `s${String(id)}` });
      world.feed(wrote(comment(id)));
    }
    assert.deepEqual(sessions, ['first', 'resumed', 'rotated', 'resumed', 'rotated']);
    assert.ok(world.life.timeline.some(({ what }) => what.startsWith('a fresh session')));
  });

  it('is left for a fresh one after so many tokens', () => {
    const world = World.triggered();
    world.liveTurn({ done, model: modelReport(800) });
    world.feed(wrote(comment(1)));
    assert.equal(begins(world).session, 'rotated');
    world.liveTurn({ done, model: modelReport(10) });
    world.feed(wrote(comment(2)));
    assert.equal(begins(world).session, 'resumed');
  });

  it('is not left for a nudge, which speaks of what it has just done', () => {
    const world = World.triggered({ ...POLICY, session: { turns: 1, tokens: 800 } });
    world.liveTurn({});
    assert.deepEqual(begins(world), { session: 'resumed', cause: 'nudge', ids: [] });
  });

  for (const [outcome, session, said] of [
    ['unknown_session', 'lost', /no longer knows its session/],
    ['context_full', 'rotated', /too long for its model/],
  ] as const) {
    it(`${outcome}: another turn with what nobody read begins in a fresh one, once`, () => {
      const world = World.woken();
      world.start();
      world.feed(wrote(comment(2)));
      world.endTurn({ exitCode: 1, agent: agentReport(outcome) });
      assert.deepEqual(begins(world), { session, cause: 'wake', ids: [1, 2] });
      assert.ok(world.life.timeline.some(({ what }) => said.test(what)));
      world.liveTurn({ exitCode: 1, agent: agentReport(outcome) });
      assert.deepEqual([world.phase, world.reason], ['frozen', 'incomplete']);
    });
  }

  it('is not lost by what an agent says that had begun it, was stopped or had finished', () => {
    const said: AgentOutcome = 'unknown_session';
    const first = World.triggered();
    first.liveTurn({ exitCode: 1, agent: agentReport(said) });
    assert.equal(first.phase, 'frozen');
    const finished = World.woken();
    finished.liveTurn({ exitCode: 1, agent: agentReport(said), done });
    assert.equal(finished.reason, 'done');
    const stopped = World.woken();
    stopped.liveTurn({ exitCode: 143, agent: agentReport(said), stopped: 'disk' });
    assert.equal(stopped.reason, 'disk');
  });
});
