/** A turn whose bottle is started and watched until its agent exits. */
import type { LostPart } from '../../domain/run/run-files.js';
import type { RunPolicy } from '../../domain/run/run-policy.js';
import type { Done, StopReason, TurnResult } from '../../domain/run/turn.js';
import { note, type LifeDraft } from './draft.js';
import { destroy } from './end.js';
import { runRef, settleInput, turnInput } from './inputs.js';
import { tellOnceMore } from './mailbox.js';
import { unwatched } from './settling.js';
import { offerHosts } from './supervise/add-proposal.js';
import { withTold } from './supervise/proposals-read.js';
import type { Life, Running, Settling } from './state.js';

export function heldUp(d: LifeDraft, { begun }: Running, reason: string): void {
  const { life } = d;
  if (begun) return;
  life.detail = reason;
  note(d, `turn ${String(life.turn.number)} cannot begin yet: ${reason}`);
}

export function signalledDone(d: LifeDraft, stage: Running, done: Done): void {
  const { turn } = d.life;
  if (turn.done !== null) return;
  disarmWatchdog(d, stage);
  turn.done = done;
}

export function watchdogFired({ s, life, commands }: LifeDraft, stage: Running): void {
  if (isWatched(life, stage)) commands.push({ kind: 'ask_checkin', host: stage.host, run: runRef(s, life) });
}

/** The agent is at work, and nobody has ended its turn: it is to check in from time to time. */
function isWatched({ turn }: Life, { begun }: Running): boolean {
  return begun && turn.stop === null && turn.done === null;
}

export function started(d: LifeDraft, stage: Running, lost: readonly LostPart[]): void {
  const { s, life, commands } = d;
  const { turn } = life;
  // Its agent may not get to read its prompt.
  if (turn.stop !== null) return;
  promptIsTold(life);
  life.mailbox = { ...life.mailbox, omitted: 0 };
  life.detail = null;
  const isNews = !stage.begun && turn.done === null;
  stage.begun = true;
  if (!isNews) return;
  const what = lost.length === 0 ? '' : `; lost since the last turn, and made anew: ${lost.join(', ')}`;
  note(d, `turn ${String(turn.number)} started${what}`);
  commands.push({ kind: 'arm_watchdog', turn: turn.number, ms: patienceOf(s.policy, stage) });
}

function promptIsTold(life: Life): void {
  const { turn } = life;
  if (turn.taken.length > 0) turn.given = turn.taken;
  turn.taken = [];
  life.move = null;
  const cause = turn.cause.kind === 'interrupted' ? turn.cause.of : turn.cause;
  if (cause.kind === 'decision')
    life.proposals = withTold(
      life,
      cause.decisions.map(({ id }) => id),
    );
}

/** Milliseconds: the operator's limit, or the agent's own where that is less. */
function patienceOf({ watchdogMs }: RunPolicy, { prepared }: Running): number {
  return Math.min(watchdogMs, prepared.watchdogMs ?? watchdogMs);
}

/** @param ageMs since the last check-in; `null` for a host that cannot be asked, which counts as silence */
export function heardFrom(d: LifeDraft, stage: Running, ageMs: number | null): void {
  const { s, life, commands } = d;
  const { turn } = life;
  if (!isWatched(life, stage)) return;
  const patience = patienceOf(s.policy, stage) + turn.extendedMs;
  if (ageMs !== null && ageMs < patience)
    return void commands.push({ kind: 'arm_watchdog', turn: turn.number, ms: patience - ageMs });
  turn.watchdogFired = true;
  stopTurn(d, 'watchdog');
}

/** Ends the turn that runs, if one does; the first reason stands. */
export function stopTurn(d: LifeDraft, reason: StopReason): void {
  const { life, commands } = d;
  const { stage, turn } = life;
  if (stage.kind !== 'running' || turn.stop !== null) return;
  note(d, `stopping the turn: ${reason}`);
  disarmWatchdog(d, stage);
  turn.stop = reason;
  commands.push({ kind: 'stop_turn' });
}

/** Before anything ends the turn: afterwards nobody waits for a check-in. */
export function disarmWatchdog({ life, commands }: LifeDraft, stage: Running): void {
  if (isWatched(life, stage)) commands.push({ kind: 'disarm_watchdog' });
}

/** The agent may be at work all the same. A run that ends has a step of its own to stop it. */
export function lostSight(d: LifeDraft, stage: Running, reason: string | null): void {
  const { s, life, commands } = d;
  if (life.closing !== null && reason !== null) {
    note(d, `the turn could not be watched to its end: ${reason}`);
    if (stage.begun) unwatched(d, reason);
    return destroy(d);
  }
  note(d, reason === null ? 'worker lost sight of the turn; attaching again' : `attaching again: ${reason}`);
  const input = turnInput(s, life, stage, life.turn.stop);
  const { cause, taken, given } = life.turn;
  const told = taken.length + given.length;
  commands.push({ kind: 'attach_turn', host: stage.host, input, cause, told });
}

export function finished(d: LifeDraft, stage: Running, result: TurnResult): void {
  const { s, life, commands } = d;
  const { turn } = life;
  const { host, prepared, begun } = stage;
  disarmWatchdog(d, stage);
  if (turn.stop === null) promptIsTold(life);
  // Its agent may just have started when it was stopped.
  else tellOnceMore(life, 'taken');
  // The operator's word stands; else the result is authoritative over the signal.
  if (turn.stop !== 'operator' || turn.done === null) turn.done = result.done ?? turn.done;
  life.session = { ...life.session, id: result.sessionId ?? life.session.id };
  offerHosts(d, result.offers ?? []);
  const settling: Settling = { kind: 'settling', host, prepared, begun, result, silentSince: null };
  if (life.withheld !== null) settling.unpublished = true;
  life.stage = settling;
  commands.push({ kind: 'settle_turn', host, input: settleInput(s, life, settling) });
}
