/** How a turn comes to its rows when its agent has exited. */
import type { SettledTurn } from '../../domain/run/events.js';
import { FROZEN_REASONS } from '../../domain/run/frozen-reasons.js';
import type { FrozenReason, TurnResult } from '../../domain/run/turn.js';
import { overBudget, spend } from './budget.js';
import { pushedBy } from './checks.js';
import { freeze, note, type LifeDraft } from './draft.js';
import { destroy } from './end.js';
import { recordTurn } from './inputs.js';
import { continuationOf, goOn, interruptionOf } from './interruption.js';
import { isFrozenByOperator, isWithheld } from './phase.js';
import { sleepOut } from './provider-limit.js';
import { sessionFailure, startAfresh } from './session.js';
import type { Life, Settling } from './state.js';
import { untold } from './supervise/proposals-read.js';
import { beginOnceMore, beginTurn, keepCause, retriggered, waitForUnpause, wakeIfAny } from './turn.js';
import { detailOf, nudgeFor, verdictOf } from './verdict.js';

export function settled(d: LifeDraft, stage: Settling, left: SettledTurn): void {
  const { s, life } = d;
  const { begun, result } = stage;
  const { turn } = life;
  spend(life, result);
  const reason = verdictOf(s, life, result, left);
  life.work = {
    ...life.work,
    head: left.head ?? life.work.head,
    pushed: pushedBy(left.publish, life.work.pushed),
    stuckHash: left.stuckHash,
  };
  keepLastTurn(life, result, reason);
  keepRefusal(life, stage, left);
  note(d, `turn ${String(turn.number)} ended: ${reason}, ${left.publish.kind}`);
  const detail = detailOf(life, result, left);
  const nudge = nudgeFor(s, life, result, left, reason);
  const failure = sessionFailure(life, result);
  const interruption = reason === 'incomplete' ? interruptionOf(life, result) : null;
  if (reason !== 'limited' && reason !== 'failed') life.retries = 0;
  rest(d, stage, {
    result,
    settled: left,
    reason: life.closing === null ? (life.withheld ?? reason) : reason,
  });
  life.detail = detail;
  if (life.closing !== null) return destroy(d);
  if (life.withheld !== null) return;
  // Asked for again while the turn was being stopped.
  if (isWithheld(reason)) return beginTurn(d, retriggered(life));
  if (reason === 'paused' && turn.stop === 'pause') return waitForUnpause(d);
  if (reason === 'history' && !begun) return beginOnceMore(d);
  // Whatever its agent said: what it did is to be published, and whoever asked for the run again waits for that.
  if (stage.unpublished === true && FROZEN_REASONS[reason].wakes) return beginTurn(d, retriggered(life));
  if (reason === 'limited') return sleepOut(d, result);
  if (reason === 'budget') return goOnIfAnyIsLeft(d);
  if (failure !== null) {
    startAfresh(d, failure);
    return beginTurn(d, turn.cause);
  }
  // What an operator said is news enough for an agent that left something undone.
  if (nudge !== null && untold(life).length === 0) {
    life.nudges += 1;
    return beginTurn(d, nudge);
  }
  const continuation = interruption === null ? null : continuationOf(turn);
  if (interruption !== null && continuation !== null) {
    goOn(d, interruption);
    return beginTurn(d, continuation);
  }
  wakeIfAny(d);
}

/**
 * Of the run's own budget there is some where it was the day's that ended the turn, for whose end the next one waits, or
 * where it was raised meanwhile. Each turn counts, so one that is refused its model at once is not begun for ever.
 */
function goOnIfAnyIsLeft(d: LifeDraft): void {
  const { s, life } = d;
  const over = overBudget(life.budget, s.policy.budget);
  if (over === null) return beginTurn(d, { kind: 'limit_over' });
  life.detail = over;
}

function keepLastTurn(life: Life, result: TurnResult, reason: FrozenReason): void {
  const { turn } = life;
  life.limit = result.limit;
  const doneStatus = turn.done?.status ?? (reason === 'done' ? 'success' : null);
  const stopped = result.stopped ?? turn.stop;
  life.lastTurn = { turn: turn.number, exitCode: result.exitCode, doneStatus, reason, stopped };
}

/** What an agent was told that the machine ended, or that did not know its session, it may not have read. */
function keepRefusal(life: Life, { begun, result }: Settling, { publish }: SettledTurn): void {
  const isRead = begun && interruptionOf(life, result) === null && sessionFailure(life, result) === null;
  if (publish.kind === 'refused') life.refusal = publish.reason;
  else if (isRead || publish.kind !== 'nothing') delete life.refusal;
}

type EndedTurn = Parameters<typeof recordTurn>[2];

/** The turn has its rows, and the run rests until something says otherwise. */
function rest(d: LifeDraft, { begun }: Settling, ended: EndedTurn): void {
  const { stop, done, cause } = d.life.turn;
  write(d, ended);
  freeze(d, ended.reason);
  if (!begun && done === null && (stop !== null || cause.kind === 'operator')) keepCause(d);
}

function write(d: LifeDraft, ended: EndedTurn): void {
  d.commands.push({ kind: 'record_turn', input: recordTurn(d.s, d.life, ended) });
  delete d.life.published;
}

/**
 * The agent had begun, and nobody can say how it ended, or what it used. The turn has a row and counts all the same; what
 * becomes of the run is the caller's. @param why for people
 */
export function unwatched(d: LifeDraft, why: string): void {
  spend(d.life, { model: null });
  write(d, { settled: nothingOf(d.life, why), reason: reasonUnsettled(d.life) });
}

/**
 * Nobody could take out what the agent left, or the run ended meanwhile. The turn has its rows all the same, and what it
 * used counts; people see why. @param why for people
 */
export function unsettled(d: LifeDraft, stage: Settling, why: string): void {
  const { life } = d;
  const { result } = stage;
  spend(life, result);
  const reason = reasonUnsettled(life);
  keepLastTurn(life, result, reason);
  rest(d, stage, { result, settled: nothingOf(life, why), reason });
  life.detail = why;
  if (life.closing !== null) return destroy(d);
  if (reason === 'paused' && life.turn.stop === 'pause') waitForUnpause(d);
}

function nothingOf({ work }: Life, why: string): SettledTurn {
  return {
    publish: { kind: 'refused', reason: why },
    stuck: false,
    stuckHash: work.stuckHash,
    uncommitted: 0,
    uncommittedRef: null,
    head: null,
    transcriptHash: null,
  };
}

function reasonUnsettled({ closing, withheld, turn }: Life): FrozenReason {
  if (closing !== null) return 'incomplete';
  if (withheld !== null) return withheld;
  switch (turn.stop) {
    case 'untriggered':
    case 'unserved':
      return turn.stop;
    case 'pause':
      return 'paused';
    case 'operator':
      // Not where the operator said that it is done.
      return isFrozenByOperator(turn) ? 'paused' : 'failed';
    default:
      return 'failed';
  }
}
