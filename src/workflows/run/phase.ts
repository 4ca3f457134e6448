/** What is read off a run's state: its phase, as people know it, and what it waits for. Pure. */
import type { FrozenReason, Withheld } from '../../domain/run/turn.js';
import type { IssueState, Life, Turn } from './state.js';

export type Phase =
  | 'idle'
  | 'queued'
  | 'launching'
  | 'running'
  | 'freezing'
  | 'frozen'
  | 'rehydrating'
  | 'destroying'
  | 'destroyed';

export function phaseOf({ life }: Pick<IssueState, 'life'>): Phase {
  if (life === null) return 'idle';
  const { stage, turn } = life;
  switch (stage.kind) {
    case 'preparing':
      return turn.number === 1 ? 'queued' : 'rehydrating';
    case 'running':
      if (turn.stop !== null || turn.done !== null) return 'freezing';
      if (stage.begun) return 'running';
      return turn.number === 1 ? 'launching' : 'rehydrating';
    case 'settling':
      return 'freezing';
    default:
      return stage.kind;
  }
}

/** Why the run is frozen; `null` while it is not. */
export function reasonOf({ life }: Pick<IssueState, 'life'>): FrozenReason | null {
  return life?.stage.kind === 'frozen' ? life.stage.reason : null;
}

/** Whether the run is frozen since it may have no turn. */
export function isWithheld(reason: FrozenReason): reason is Withheld {
  return reason === 'untriggered' || reason === 'unserved';
}

/** An activity is under way that decides what comes next. */
export function isBusy({ stage }: Life): boolean {
  return stage.kind === 'frozen' ? stage.archiving : stage.kind !== 'destroyed';
}

/** Between turns, with nothing in flight: the moment at which the history may be cut. */
export function isQuiescent({ life }: Pick<IssueState, 'life'>): boolean {
  return life === null || (life.stage.kind === 'frozen' && !isBusy(life));
}

/** The life that goes on; `null` before the first and after the last. */
export function livingOf({ life }: IssueState): Life | null {
  return life === null || life.stage.kind === 'destroyed' ? null : life;
}

/** Of the `done` by which the operator ends a turn. */
export function operatorsDoneId(turn: number): string {
  return `operator-${String(turn)}`;
}

/** The operator's `freeze` ended the turn: the run is to rest, whatever came of it. */
export function isFrozenByOperator({ number, stop, done }: Turn): boolean {
  return stop === 'operator' && done?.id !== operatorsDoneId(number);
}

/** Since when its host takes nothing, epoch milliseconds; `null`: it does, or is asked for nothing. */
export function silentSince({ life }: Pick<IssueState, 'life'>): number | null {
  const stage = life?.stage;
  return stage?.kind === 'running' || stage?.kind === 'settling' ? stage.silentSince : null;
}
