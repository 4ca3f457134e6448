/** An agent that proposes, and the operator who decides, as events of the machine. */
import type { ProposeRequest } from '../../../src/domain/run/run-channel.js';
import type { MachineCommand } from '../../../src/workflows/run/commands.js';
import { World } from './world.js';

type Tool = ProposeRequest['tool'];

export const ID = 'a'.repeat(32);
export const SHOWN = '1'.repeat(64);

/** A run at work whose agent has proposed that. */
export function proposing(tool?: Tool): World {
  const world = World.triggered();
  world.start();
  propose(world, { tool });
  return world;
}

export function propose(
  world: World,
  {
    id = ID,
    tool = 'pipelock-block',
  }: { readonly id?: string | undefined; readonly tool?: Tool | undefined } = {},
): MachineCommand[] {
  return world.feed({ kind: 'proposed', id, tool, ref: SHOWN, turn: world.turn.number, at: world.now });
}

/** @param ref `null`: of a refusal */
export function decide(world: World, ref: string | null, id = ID, at = 7): MachineCommand[] {
  const status = ref === null ? 'rejected' : 'approved';
  return world.feed({ kind: 'decided', id, status, by: 'ann@desk', at, ref, notesRef: 'n' });
}
