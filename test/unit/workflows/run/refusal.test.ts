import assert from 'node:assert/strict';
import type { DoneStatus, TurnResult } from '../../../../src/domain/run/turn.js';
import { agentReport, comment, done, PUBLISHED, World, wrote } from '../../../support/machine/world.js';

const refused = (reason = 'a CI file') => ({ publish: { kind: 'refused', reason } }) as const;
const KILLED = { exitCode: 137, agent: agentReport('crashed') } as const;

/** What the next comment's turn says of the last work. */
function saidOf(world: World, id = 1): string | undefined {
  world.feed(wrote(comment(id)));
  assert.equal(world.preparing.cause.kind, 'wake');
  return world.preparing.refusal;
}

function ended(result: Partial<TurnResult>, left: Parameters<World['settle']>[0] = refused()): World {
  const world = World.triggered();
  world.liveTurn(result, left);
  return world;
}

describe('why the work of a turn was not published', () => {
  for (const status of ['blocked', 'failed'] as const satisfies readonly DoneStatus[])
    it(`is what the next turn is told, once, of an agent that ended as ${status}`, () => {
      const world = ended({ done: { ...done, status } });
      assert.equal(world.reason, status);
      assert.equal(saidOf(world), 'a CI file');
      world.liveTurn({ done });
      assert.equal(saidOf(world, 2), undefined);
    });

  it('is what the reminder says where there is one, and nothing beside it', () => {
    const world = ended({ done });
    const { cause, refusal } = world.preparing;
    assert.deepEqual([cause, refusal], [{ kind: 'nudge', why: 'refused', reason: 'a CI file' }, undefined]);
  });

  it('is told of the turn after the last reminder, too', () => {
    const world = ended({ done });
    world.liveTurn({ done }, refused('another CI file'));
    assert.deepEqual([world.reason, saidOf(world)], ['done', 'another CI file']);
  });

  it('stands beside the reminder of what else was left undone', () => {
    const { cause, refusal } = ended({}).preparing;
    assert.deepEqual([cause, refusal], [{ kind: 'nudge', why: 'not_done' }, 'a CI file']);
  });

  it('is told with the operator’s word that came instead of a reminder', () => {
    const world = ended({ done: { ...done, status: 'blocked' } });
    world.command({ kind: 'resume', promptRef: null });
    assert.deepEqual([world.preparing.cause.kind, world.preparing.refusal], ['operator', 'a CI file']);
  });

  it('waits with a turn that does not come to run', () => {
    const world = ended({ done: { ...done, status: 'blocked' } });
    world.feed(wrote(comment(1)));
    world.nothingLeft();
    assert.equal(saidOf(world, 2), 'a CI file');
  });

  it('is told once more where the agent may not have read it', () => {
    const world = ended({ done: { ...done, status: 'blocked' } });
    world.feed(wrote(comment(1)));
    world.liveTurn(KILLED);
    assert.deepEqual([world.preparing.cause.kind, world.preparing.refusal], ['interrupted', 'a CI file']);
    const lost = ended({ done: { ...done, status: 'blocked' } });
    lost.feed(wrote(comment(1)));
    lost.liveTurn({ exitCode: 1, agent: agentReport('unknown_session') });
    assert.deepEqual([lost.preparing.session, lost.preparing.refusal], ['lost', 'a CI file']);
    const stopped = ended({ done: { ...done, status: 'blocked' } });
    stopped.feed(wrote(comment(1)));
    stopped.prepare();
    stopped.endTurn({ stopped: 'timeout', exitCode: 143 });
    assert.equal(saidOf(stopped, 2), 'a CI file', 'its agent was not seen to start');
  });

  it('is over with a reminder that was interrupted as it said so, and is not said twice', () => {
    const world = ended({ done });
    world.liveTurn(KILLED);
    assert.deepEqual([world.preparing.cause.kind, world.preparing.refusal], ['interrupted', undefined]);
  });

  it('is over when the work was published after all', () => {
    const world = ended({ done: { ...done, status: 'blocked' } });
    world.feed(wrote(comment(1)));
    world.liveTurn(KILLED, { publish: PUBLISHED });
    assert.equal(world.preparing.refusal, undefined);
  });

  for (const holds of [0, 1])
    it(`is ${holds === 1 ? 'told' : 'over'} on another host that has ${holds === 1 ? 'that work' : 'nothing of it'}`, () => {
      const world = ended({ done: { ...done, status: 'blocked' } });
      world.command({ kind: 'move' });
      world.feed(wrote(comment(1)));
      world.claimed('h2', holds);
      assert.equal(world.preparing.refusal, holds === 1 ? 'a CI file' : undefined);
    });
});
