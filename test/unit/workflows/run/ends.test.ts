import assert from 'node:assert/strict';
import type { MachineEvent } from '../../../../src/domain/run/events.js';
import { after, settling, STAGES } from '../../../support/machine/stages.js';
import {
  comment,
  done,
  observed,
  trigger,
  turnResult,
  World,
  wrote,
} from '../../../support/machine/world.js';

const command = (kind: 'destroy' | 'freeze'): MachineEvent => ({
  kind: 'command',
  command: { kind },
  at: 1_000_000,
});

const WAYS: Readonly<Record<string, MachineEvent>> = {
  'the operator': command('destroy'),
  'the close of the issue': observed({
    readAt: 900_000,
    open: false,
    closedAt: 890_000,
    prs: [{ number: 13, open: false, merged: false, closedAt: 890_000 }],
  }),
  'another agent': observed({ readAt: 900_000, trigger: trigger(890_000, { agent: 'reviewer' }) }),
  'the loss of the issue': { kind: 'lost', readAt: 900_000, why: 'the issue is gone' },
};

/** Each activity that is under way fails, the run's end alone goes on trying. Answers whether there was one. */
function failAll(world: World, how: 'throws' | 'lost'): boolean {
  const turn = world.turn.number;
  for (const step of ['claim', 'prepare', 'settle'] as const)
    if (world.pay(step)) {
      world.feed({ kind: 'step_failed', step, turn, reason: 'x' });
      return true;
    }
  if (world.pay('archive')) {
    world.feed({ kind: 'archive_ended', failure: 'x' });
    return true;
  }
  if (!world.pay('run')) return false;
  if (how === 'throws') world.feed({ kind: 'step_failed', step: 'run', turn, reason: 'x' });
  else world.feed({ kind: 'turn_lost', turn, reason: 'x' });
  return true;
}

/** Claim and preparation are two, and each is called off once. */
const MOST_FAILURES = 2;

describe('the end of a run, whatever fails', () => {
  for (const [stage, begin] of Object.entries(STAGES))
    for (const [way, event] of Object.entries(WAYS))
      for (const how of ['throws', 'lost'] as const)
        it(`comes by ${way} while ${stage}, when each activity ${how === 'lost' ? 'is lost' : 'fails'}`, () => {
          const world = begin();
          const calledOff = world.feed(event).filter(({ kind }) => kind === 'end_step');
          assert.equal(calledOff.length, 1, 'what is under way is called off');
          for (let failures = 0; failAll(world, how); failures += 1)
            assert.ok(failures < MOST_FAILURES, `goes on: ${JSON.stringify([...world.owed.keys()])}`);
          assert.ok(world.owed.has('destroy') || world.life.host === null, world.phase);
          assert.equal(world.phase, 'destroying');
          world.destroyed();
          assert.equal(world.phase, 'destroyed');
        });

  it('writes the rows of a turn whose settling was called off, and counts what it used', () => {
    const world = settling();
    world.feed(command('destroy'));
    const before = world.commands.length;
    failAll(world, 'throws');
    const [first, second] = world.commands.slice(before).map(({ kind }) => kind);
    assert.deepEqual([first, second], ['record_turn', 'destroy']);
    assert.equal(world.life.budget.spent.turns, 1);
  });
});

describe('a turn that cannot be settled', () => {
  it('freezes the run as failed with the reason, has its rows, and counts', () => {
    const world = settling();
    world.fail('settle', 'the disk is full');
    const { detail, budget, lastTurn } = world.life;
    assert.deepEqual([world.phase, world.reason, detail], ['frozen', 'failed', 'the disk is full']);
    assert.deepEqual([budget.spent.turns, lastTurn?.reason], [1, 'failed']);
    const row = world.commands.find(({ kind }) => kind === 'record_turn');
    assert.ok(row?.kind === 'record_turn' && row.input.settled.publish.kind === 'refused');
    assert.equal(row.input.settled.publish.reason, 'the disk is full');
    assert.deepEqual(row.input.result, turnResult({ done }));
  });

  it('tells again what an agent was told that a pause stopped as it began', () => {
    const world = World.frozenDone();
    after(world, wrote(comment(1)));
    world.prepare();
    after(world, { kind: 'paused', reason: 'paused by alice' });
    world.finish();
    world.fail('settle');
    assert.deepEqual(world.life.mailbox.waiting, [{ ...comment(1), again: true }]);
    assert.deepEqual([world.phase, world.frozen.held], ['frozen', true]);
  });
});
