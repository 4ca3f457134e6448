/** A turn begins, or does not come to run. */
import { FROZEN_REASONS } from '../../domain/run/frozen-reasons.js';
import type { FrozenReason, TurnCause } from '../../domain/run/turn.js';
import { overBudget } from './budget.js';
import { countIfByChecks, countWake, forgetOthersChecks, mayWake } from './checks.js';
import { freeze, note, record, stopSleeping, type LifeDraft } from './draft.js';
import { prepareInput, runRef } from './inputs.js';
import { untold } from './supervise/proposals-read.js';
import { tellAgain } from './mailbox.js';
import { wakeAt } from './provider-limit.js';
import { rotate } from './session.js';
import { newStage, newTurn } from './beginnings.js';
import { isWithheld } from './phase.js';
import type { Deferred, Life } from './state.js';

const HOUR_MS = 3_600_000;

/** Rehydrates a frozen run for what came while it could not: it is asked for again, or something waits in its mailbox. */
export function wakeIfAny(d: LifeDraft): void {
  const { life } = d;
  if (life.stage.kind !== 'frozen' || life.stage.archiving) return;
  // Something begins anyway, or is not to begin before that.
  if (life.stage.resumeAt !== null) return;
  if (isWithheld(life.stage.reason) && life.withheld === null) return beginTurn(d, retriggered(life));
  if (!FROZEN_REASONS[life.stage.reason].wakes) return;
  life.mailbox = forgetOthersChecks(life);
  const decisions = untold(life);
  // A person has waited for it, and wakes it: that is not counted.
  if (decisions.length > 0) beginTurn(d, { kind: 'decision', decisions });
  else if (mayWake(d)) wake(d);
}

/** What a turn was for that waited when the run lost its trigger; what waits in the mailbox is told in any case. */
export function retriggered({ stage }: Life): TurnCause {
  const waits = stage.kind === 'frozen' ? stage.deferred?.cause : undefined;
  return waits === undefined || waits.kind === 'wake' ? { kind: 'retriggered' } : waits;
}

/** What the operator asked for last, if that turn's agent never had it. */
export function promptThatWaits({ stage }: Life): TurnCause | undefined {
  const waits = stage.kind === 'frozen' ? stage.deferred?.cause : undefined;
  return waits?.kind === 'operator' ? waits : undefined;
}

/** Rehydrates for the mailbox's sake: at once, or as soon as that has not happened too often within an hour. */
function wake(d: LifeDraft): void {
  const { s, life, env } = d;
  const { wakesPerHour } = s.policy;
  life.wakes = life.wakes.filter((at) => at > env.now - HOUR_MS);
  const oldest = life.wakes.at(-wakesPerHour);
  const at = oldest === undefined ? env.now : oldest + HOUR_MS;
  life.wakes = [...life.wakes, at];
  life.nudges = 0;
  countIfByChecks(d);
  const cause: TurnCause = promptThatWaits(life) ?? { kind: 'wake' };
  if (at === env.now) return beginTurn(d, cause);
  const wokenFrom = wokenFromOf(life);
  freeze(d, 'paused');
  waitWith(d, { cause, wokenFrom });
  life.detail = `woken ${String(wakesPerHour)} times within an hour: goes on at ${new Date(at).toISOString()}`;
  wakeAt(d, at);
  record(d);
}

/** From frozen, as soon as the run's containers are not being put away. */
export function beginWhenFree(d: LifeDraft, cause: TurnCause): void {
  const { stage } = d.life;
  if (stage.kind === 'frozen' && stage.archiving) stage.afterArchive = cause;
  else beginTurn(d, cause);
}

/** From frozen. */
export function beginTurn(d: LifeDraft, cause: TurnCause): void {
  const { s, life } = d;
  const over = overBudget(life.budget, s.policy.budget);
  if (over !== null) return defer(d, cause, over);
  if (d.env.isFull) return waitForRoom(d, cause);
  const wokenFrom = wokenFromOf(life);
  stopSleeping(d);
  rotate(d, cause, s.policy.session);
  life.mailbox = forgetOthersChecks(life);
  countWake(life, cause);
  life.turn = newTurn(life.turn.number + 1, cause, wokenFrom, life.mailbox.waiting);
  life.mailbox = { ...life.mailbox, waiting: [] };
  life.detail = null;
  life.stage = newStage();
  askForTurn(d);
}

/** A turn that waited was woken by what there was before it began to wait. */
function wokenFromOf({ stage, turn }: Life): FrozenReason | null {
  if (stage.kind !== 'frozen') return turn.wokenFrom;
  return stage.deferred === null ? stage.reason : stage.deferred.wokenFrom;
}

/**
 * The turn begins in the next execution, which arms what sleeps: here it would be stopped at once, and begin again, until
 * the server ends the run.
 */
function waitForRoom(d: LifeDraft, cause: TurnCause): void {
  const { life, env } = d;
  stopSleeping(d);
  waitWith(d, { cause, wokenFrom: wokenFromOf(life) });
  if (life.stage.kind !== 'frozen') return;
  life.stage.held = false;
  life.stage.resumeAt = env.now;
}

/** The turn waits for its budget, and what it is for with it. */
function defer(d: LifeDraft, cause: TurnCause, why: string): void {
  const { life } = d;
  const wokenFrom = wokenFromOf(life);
  note(d, why);
  freeze(d, 'budget');
  life.detail = why;
  waitWith(d, { cause, wokenFrom });
  record(d);
}

function waitWith({ life: { stage } }: LifeDraft, deferred: Deferred): void {
  if (stage.kind === 'frozen') stage.deferred = deferred;
}

/** Nobody has read what the turn was for: it waits with the run. */
export function keepCause(d: LifeDraft): void {
  const { cause, wokenFrom } = d.life.turn;
  waitWith(d, { cause, wokenFrom });
}

/** What a turn needs before it runs. */
export function askForTurn(d: LifeDraft): void {
  const { s, life, commands } = d;
  const { host, turn, move } = life;
  // Once a life, unless it failed for good.
  const moved = move === null ? null : runRef(s, life);
  if (host === null) commands.push({ kind: 'claim_host', turn: turn.number, moved });
  // What the prompt says depends on what the new host has.
  if (host !== null || moved === null) askToPrepare(d);
}

export function askToPrepare({ s, life, env, commands }: LifeDraft): void {
  commands.push({ kind: 'prepare_turn', input: prepareInput(s, life, env.now) });
}

/** Freezes without having run: what the prompt was made of goes back, in order, before what came since. */
export function abandonTurn(d: LifeDraft, reason: FrozenReason): void {
  const { life } = d;
  tellAgain(life, life.turn.taken);
  life.turn.taken = [];
  note(d, `turn ${String(life.turn.number)} not run: ${reason}`);
  freeze(d, reason);
  if (!FROZEN_REASONS[reason].wakes || life.turn.cause.kind === 'operator') keepCause(d);
  record(d);
}

/** The turn that did not come to run begins once more, for what it was for. */
export function beginAgain(d: LifeDraft, reason: FrozenReason): void {
  abandonTurn(d, reason);
  beginOnceMore(d);
}

/** For what the turn was for: it did not come to run, or was stopped before its agent was seen to start. */
export function beginOnceMore(d: LifeDraft): void {
  keepCause(d);
  beginTurn(d, d.life.turn.cause);
}

/** The turn has not begun. */
export function holdBack(d: LifeDraft): void {
  abandonTurn(d, 'paused');
  waitForUnpause(d);
}

/** The turn waits for the end of the pause, and what it is for with it. */
export function waitForUnpause(d: LifeDraft): void {
  const { life } = d;
  const { turn, stage } = life;
  keepCause(d);
  if (turn.pauseLifted) return beginTurn(d, turn.cause);
  if (stage.kind !== 'frozen') return;
  stage.held = true;
  life.detail = turn.pauseReason;
}
