/** One step of the machine under way, and the small things every part of it does to it. */
import type { FrozenReason } from '../../domain/run/turn.js';
import type { MachineCommand } from './commands.js';
import { recordState } from './inputs.js';
import { isFrozenByOperator, isWithheld } from './phase.js';
import type { Deferred, Frozen, IssueState, Life } from './state.js';

const MAX_TIMELINE = 200;
/** Some of it comes from outside, and continue-as-new carries all of it. */
const MAX_NOTE = 300;

export interface StepEnv {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Numbers in [0, 1) for the slug. */
  readonly random: () => number;
  /** The history of this execution is: what begins now begins in the next one. */
  readonly isFull: boolean;
}

/** A copy of the state to change, and what to do. */
export interface Draft {
  readonly s: IssueState;
  readonly env: StepEnv;
  readonly commands: MachineCommand[];
}

/** Of a life that goes on; `life` is the one in `s`. */
export interface LifeDraft extends Draft {
  readonly life: Life;
}

/** A copy as deep as the steps change it; everything deeper is replaced. */
export function draftOf(state: IssueState, env: StepEnv): Draft {
  const { life } = state;
  const copied = life === null ? null : { ...life, turn: { ...life.turn }, stage: { ...life.stage } };
  return { s: { ...state, life: copied }, env, commands: [] };
}

export function note({ life, env }: LifeDraft, what: string): void {
  // As JSON, a character of these has six.
  const line = what.replace(/[\p{Cc}\p{Cs}]+/gu, ' ');
  const said = line.length > MAX_NOTE ? `${line.slice(0, MAX_NOTE - 1)}…` : line;
  const entry = { at: env.now, turn: life.turn.number, what: said };
  life.timeline = [...life.timeline, entry].slice(-MAX_TIMELINE);
}

export function freeze(d: LifeDraft, reason: FrozenReason): void {
  const { life } = d;
  const paused = isWithheld(reason) ? pauseOf(life) : undefined;
  stopSleeping(d);
  const before = life.stage.kind === 'frozen' ? life.stage : null;
  life.stage = {
    kind: 'frozen',
    reason,
    resumeAt: null,
    deferred: before === null ? null : deferredOf(before),
    held: false,
    // Containers that are being put away are so to the end.
    archiving: before?.archiving ?? false,
    afterArchive: null,
    ...(paused === undefined ? {} : { paused }),
  };
}

/** What was asked for while containers were put away waits, too. */
function deferredOf({ afterArchive, deferred, reason }: Frozen): Deferred | null {
  if (afterArchive === null) return deferred;
  return { cause: afterArchive, wokenFrom: deferred === null ? reason : deferred.wokenFrom };
}

/** Of what keeps the run paused, unless the operator has resumed it. Not of a pause of new turns: that is met again. */
function pauseOf({ stage, turn, detail }: Life): Frozen['paused'] {
  if (stage.kind !== 'frozen') return isFrozenByOperator(turn) ? { detail: null } : undefined;
  if (stage.afterArchive !== null || stage.resumeAt !== null) return undefined;
  return stage.reason === 'paused' && !stage.held ? { detail } : stage.paused;
}

/** Whoever goes on, ends, or is frozen for another reason does not go on by the clock. */
export function stopSleeping({ life: { stage }, commands }: LifeDraft): void {
  if (stage.kind !== 'frozen' || stage.resumeAt === null) return;
  stage.resumeAt = null;
  commands.push({ kind: 'disarm_resume' });
}

/** The row follows the state as it is now. */
export function record({ s, life, commands }: LifeDraft): void {
  commands.push({ kind: 'record_state', input: recordState(s, life) });
}
