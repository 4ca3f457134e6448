import assert from 'node:assert/strict';
import type { MachineEvent } from '../../../../src/domain/run/events.js';
import type { Stage } from '../../../../src/workflows/run/state.js';
import { STAGES } from '../../../support/machine/stages.js';
import {
  done,
  PLACE,
  PREPARED,
  settledTurn,
  turnResult,
  type World,
} from '../../../support/machine/world.js';

const MOVED = { ...PLACE, repo: 'renamed' };

/** Of a turn: what may come too late, and the stages in which it counts. */
const OF_A_TURN: readonly {
  readonly in: readonly Stage['kind'][];
  readonly of: (turn: number, slug: string) => readonly MachineEvent[];
}[] = [
  {
    in: ['running', 'settling'],
    of: (turn) => [
      { kind: 'host_silent', turn, since: 1 },
      { kind: 'host_back', turn },
    ],
  },
  {
    in: ['preparing'],
    of: (turn) => [
      { kind: 'prepare_ended', turn, outcome: { kind: 'ready', prepared: PREPARED } },
      { kind: 'prepare_ended', turn, outcome: { kind: 'moved', place: MOVED } },
      { kind: 'prepare_ended', turn, outcome: { kind: 'nothing_left' } },
      { kind: 'prepare_ended', turn, outcome: { kind: 'over_budget', reason: 'spent', until: 5_000_000 } },
      { kind: 'prepare_ended', turn, outcome: { kind: 'paused', reason: 'paused' } },
      { kind: 'prepare_ended', turn, outcome: { kind: 'refused', reason: 'no' } },
      { kind: 'step_failed', step: 'claim', turn, reason: 'x' },
      { kind: 'step_failed', step: 'prepare', turn, reason: 'x' },
    ],
  },
  {
    in: ['running'],
    of: (turn, slug) => [
      { kind: 'turn_started', slug, turn, at: 1 },
      { kind: 'turn_held_up', slug, turn, reason: 'x' },
      { kind: 'signal_done', slug, turn, done },
      { kind: 'watchdog_fired', turn },
      { kind: 'checkin_age', turn, ageMs: null },
      { kind: 'turn_lost', turn, reason: null },
      { kind: 'turn_finished', turn, result: turnResult() },
      { kind: 'step_failed', step: 'run', turn, reason: 'x' },
    ],
  },
  {
    in: ['settling'],
    of: (turn) => [
      { kind: 'settled', turn, settled: settledTurn() },
      { kind: 'step_failed', step: 'settle', turn, reason: 'x' },
    ],
  },
];

function isIgnored(world: World, event: MachineEvent, why: string): void {
  const before = world.state;
  assert.deepEqual(world.feed(event), [], `${event.kind} ${why}`);
  assert.deepEqual(world.state, before, `${event.kind} ${why}`);
}

describe('what comes too late', () => {
  for (const [name, begin] of Object.entries(STAGES)) {
    it(`changes nothing of another turn, or out of its place: ${name}`, () => {
      const world = begin();
      const { slug, turn, stage } = world.life;
      for (const late of OF_A_TURN) {
        for (const other of [turn.number - 1, turn.number + 1])
          for (const event of late.of(other, slug)) isIgnored(world, event, 'of another turn');
        if (late.in.includes(stage.kind)) continue;
        for (const event of late.of(turn.number, slug)) isIgnored(world, event, `while ${stage.kind}`);
      }
      // Of another life of the issue, whose turns have the same numbers.
      isIgnored(world, { kind: 'turn_started', slug: 'x', turn: turn.number, at: 1 }, 'of another life');
      isIgnored(world, { kind: 'signal_done', slug: 'x', turn: turn.number, done }, 'of another life');
      isIgnored(
        world,
        { kind: 'turn_held_up', slug: 'x', turn: turn.number, reason: 'x' },
        'of another life',
      );
    });

    it(`changes nothing where it was not asked for: ${name}`, () => {
      const world = begin();
      isIgnored(world, { kind: 'destroyed' }, 'of a run that goes on');
      isIgnored(world, { kind: 'resume_due', at: world.now }, 'of no sleeper');
      isIgnored(world, { kind: 'change_applied', id: 'none' }, 'of no proposal');
      isIgnored(world, { kind: 'proposal_told', id: 'none' }, 'of no proposal');
      const { stage } = world.life;
      if (stage.kind === 'frozen' && stage.archiving) return;
      isIgnored(world, { kind: 'archive_ended', failure: null }, 'of containers that nobody puts away');
      isIgnored(world, { kind: 'archive_ended', failure: 'x' }, 'of containers that nobody puts away');
    });
  }
});
