import assert from 'node:assert/strict';
import type { TurnCause, TurnResult } from '../../../../src/domain/run/turn.js';
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

const killed = { exitCode: 137, agent: agentReport('crashed') } as const;

function next(world: World): {
  readonly cause: TurnCause;
  readonly session: string;
  readonly told: unknown[];
} {
  const { cause, session, references } = world.preparing;
  return { cause, session, told: references.map(({ id, again }) => (again === true ? [id, 'again'] : id)) };
}

describe('an agent that the machine ended', () => {
  const ENDS: Readonly<Record<string, readonly [Partial<TurnResult>, said: string]>> = {
    'is killed': [killed, 'it was killed'],
    'is gone with its container': [{ exitCode: -1, agent: agentReport('empty') }, 'its container is gone'],
    'was told to end by an engine that stops': [
      { exitCode: 143, agent: agentReport('crashed') },
      'the engine stopped or was restarted (exit code 143)',
    ],
    'was found ended by an engine that came back': [
      { exitCode: 255, agent: agentReport('cut') },
      'the engine stopped or was restarted (exit code 255)',
    ],
  };
  for (const [how, [result, said]] of Object.entries(ENDS))
    it(`goes on in its session when it ${how}, and freezes when that happens again`, () => {
      const world = World.triggered();
      world.liveTurn(result);
      assert.deepEqual(next(world), {
        cause: { kind: 'interrupted', of: { kind: 'first' }, turn: 1 },
        session: 'resumed',
        told: [],
      });
      const noted = world.life.timeline.map(({ what }) => what);
      assert.ok(noted.includes(`the machine ended the agent: ${said}; it goes on`), noted.join('\n'));
      world.liveTurn(result);
      assert.deepEqual([world.phase, world.reason], ['frozen', 'incomplete']);
      assert.equal(world.life.detail, `the machine ended the agent again: ${said}`);
    });

  const OTHERS: Readonly<Record<string, Partial<TurnResult>>> = {
    'had too little memory': { ...killed, limit: { kind: 'memory', detail: 'm' } },
    'was stopped for the time it took': { ...killed, stopped: 'timeout' },
    'ended by itself': { exitCode: 1, agent: agentReport('crashed') },
    'chose such a number and said why': { exitCode: 255, agent: agentReport('failed') },
    'had said that it is done': { ...killed, done },
  };
  for (const [how, result] of Object.entries(OTHERS))
    it(`does not go on by itself when it ${how}`, () => {
      const world = World.triggered();
      world.liveTurn(result);
      assert.equal(world.phase, 'frozen');
      assert.doesNotMatch(world.life.detail ?? '', /the machine/);
    });

  it('does not go on when it was killed as the operator stopped it', () => {
    const world = running();
    world.command({ kind: 'freeze' });
    world.endTurn(killed);
    assert.deepEqual([world.phase, world.reason], ['frozen', 'paused']);
  });

  it('is told once more what it may not have read, and what came meanwhile', () => {
    const world = World.woken();
    world.start();
    world.feed(wrote(comment(2)));
    world.endTurn(killed);
    assert.deepEqual(next(world), {
      cause: { kind: 'interrupted', of: { kind: 'wake' }, turn: 2 },
      session: 'resumed',
      told: [[1, 'again'], 2],
    });
  });

  it('goes on once in each turn, not once in a run', () => {
    const world = World.triggered();
    world.liveTurn(killed);
    world.liveTurn({ done });
    world.feed(wrote(comment(1)));
    world.liveTurn(killed);
    assert.equal(next(world).cause.kind, 'interrupted');
  });

  it('begins a fresh session when the killed one had not come to be', () => {
    const world = World.triggered();
    world.liveTurn(killed);
    world.liveTurn({ exitCode: 1, agent: agentReport('unknown_session') });
    assert.deepEqual(next(world), {
      cause: { kind: 'interrupted', of: { kind: 'first' }, turn: 1 },
      session: 'lost',
      told: [],
    });
  });

  it('waits with the rest of the run when the budget is used up', () => {
    const world = World.triggered({ ...POLICY, budget: { turns: 20, tokens: 10, microUsd: 5_000_000 } });
    world.liveTurn({ ...killed, model: modelReport(10) });
    assert.deepEqual([world.phase, world.reason], ['frozen', 'budget']);
    assert.equal(world.frozen.deferred?.cause.kind, 'interrupted');
  });
});
