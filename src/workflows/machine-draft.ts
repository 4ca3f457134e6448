/** One step of the machine under way, and the small things every part of it does to it. */
import type { FrozenReason } from '../domain/turn.js';
import type { MachineCommand, MachineState } from './machine-state.js';

const MAX_TIMELINE = 200;

export interface StepEnv {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Numbers in [0, 1) for the slug. */
  readonly random: () => number;
}

/** A copy of the state to change, and what to do. */
export interface Draft {
  readonly s: MachineState;
  readonly env: StepEnv;
  readonly commands: MachineCommand[];
}

export function isCurrent(d: Draft, busy: MachineState['busy'], turn: number): boolean {
  return d.s.busy === busy && d.s.turn === turn;
}

export function note(d: Draft, what: string): void {
  d.s.timeline = [...d.s.timeline, { at: d.env.now, turn: d.s.turn, what }].slice(-MAX_TIMELINE);
}

export function freeze(d: Draft, reason: FrozenReason): void {
  d.s.phase = 'frozen';
  // Containers that are being put away are so to the end.
  if (d.s.busy !== 'archive') d.s.busy = null;
  d.s.afterArchive = null;
  d.s.frozenReason = reason;
  d.s.held = false;
  stopSleeping(d);
}

/** Whoever goes on, ends, or is frozen for another reason does not go on by the clock. */
export function stopSleeping(d: Draft): void {
  if (d.s.resumeAt === null) return;
  d.s.resumeAt = null;
  d.commands.push({ kind: 'disarm_resume' });
}
