/** A turn from its preparation to its rows. */
import type { InnerEvent, SettledTurn } from '../domain/events.js';
import type { Place } from '../domain/issue.js';
import type { FrozenReason, StopReason, TurnCause, TurnResult } from '../domain/turn.js';
import { freeze, note, stopSleeping, type Draft } from './machine-draft.js';
import { destroy, destroyed, endLife } from './machine-end.js';
import { defer, overBudget, spend } from './machine-budget.js';
import { absorbPlace, withPr } from './machine-forge.js';
import { sleepOut, wakeAt } from './machine-limit.js';
import { putBack, remember } from './machine-mailbox.js';
import { rotate, sessionFailure, sessionStart, startAfresh } from './machine-session.js';
import { EMPTY_SESSION, type MachineState } from './machine-state.js';
import { detailOf, nudgeFor, reasonOf, wakesOn } from './machine-verdict.js';

const HOUR_MS = 3_600_000;

/** Rehydrates for the mailbox's sake, unless that happened too often lately. */
export function wake(d: Draft): void {
  const { s, env } = d;
  s.wakes = s.wakes.filter((at) => at > env.now - HOUR_MS);
  if (s.wakes.length >= s.policy.wakesPerHour) {
    s.detail = `woken ${String(s.wakes.length)} times within an hour`;
    return freeze(d, 'paused');
  }
  s.wakes = [...s.wakes, env.now];
  s.nudgesUsed = 0;
  beginTurn(d, { kind: 'wake' });
}

export function beginTurn(d: Draft, cause: TurnCause): void {
  const over = overBudget(d.s);
  if (over === null) startPreparing(d, cause, 'rehydrating');
  else defer(d, cause, over);
}

export function startPreparing(d: Draft, cause: TurnCause, phase: 'queued' | 'rehydrating'): void {
  const { s } = d;
  s.phase = phase;
  s.busy = 'prepare';
  // A turn that waited for its budget was woken by what there was before.
  if (s.deferred === null) s.wokenFrom = s.frozenReason;
  s.deferred = null;
  s.held = false;
  s.lifted = false;
  stopSleeping(d);
  rotate(d, cause);
  s.turn += 1;
  s.cause = cause;
  s.taken = s.mailbox;
  s.given = [];
  s.mailbox = [];
  s.prepared = null;
  s.result = null;
  s.done = null;
  s.stopRequested = null;
  s.begun = false;
  s.frozenReason = null;
  s.detail = null;
  s.watchdogFired = false;
  s.extendedMs = 0;
  s.claimFailure = null;
  s.confirmed = false;
  // Once a life, unless it failed for good.
  if (s.host === null) d.commands.push({ kind: 'claim_host' });
  askToPrepare(d);
}

function askToPrepare(d: Draft): void {
  const { turn, cause, taken, omitted } = d.s;
  const session = sessionStart(d.s);
  d.commands.push({ kind: 'prepare_turn', turn, cause, references: taken, omitted, session });
}

/** What the prompt has in its latest form is not told again when the delivery of that form arrives. */
export function alreadyRead(d: Draft, keys: readonly string[]): void {
  const { s } = d;
  if (keys.length === 0) return;
  s.mailbox = s.mailbox.filter((ref) => !keys.includes(ref.key));
  s.seen = remember(s.seen, keys);
}

export function launchWhenReady(d: Draft): void {
  const { s } = d;
  if (s.busy !== 'prepare' || s.prepared === null) return;
  if (s.host === null && s.claimFailure === null) return;
  if (s.closing !== null) return destroy(d);
  if (s.untriggered) return abandonTurn(d, 'untriggered');
  if (s.stopRequested === 'pause') return holdBack(d);
  if (s.stopRequested !== null) return abandonTurn(d, 'paused');
  if (s.host === null) {
    s.detail = s.claimFailure;
    return abandonTurn(d, 'failed');
  }
  if (s.phase === 'queued') s.phase = 'launching';
  s.busy = 'run';
  s.resumed = s.sessionId !== null;
  if (!s.resumed) s.session = EMPTY_SESSION;
  d.commands.push({ kind: 'run_turn', turn: s.turn });
}

/** The day's budget is used up: the turn waits for the next day, or for the operator. */
export function dayIsSpent(d: Draft, reason: string, until: number): void {
  const { s } = d;
  if (s.closing !== null) return destroy(d);
  if (s.untriggered) return abandonTurn(d, 'untriggered');
  if (s.stopRequested === 'operator') return abandonTurn(d, 'paused');
  s.deferred = s.cause;
  s.detail = reason;
  abandonTurn(d, 'budget');
  wakeAt(d, until);
}

/** The time has come that the run slept to. */
export function resumeDue(d: Draft): void {
  const { s } = d;
  s.resumeAt = null;
  const cause = s.deferred ?? { kind: 'limit_over' as const };
  if (s.busy === 'archive') s.afterArchive = cause;
  else beginTurn(d, cause);
}

/** The same turn once more, where the repository is now. */
export function prepareElsewhere(d: Draft, place: Place): void {
  const { s } = d;
  const moved = absorbPlace(s, place) === 'moved';
  if (!moved) return abandonTurn(d, 'failed');
  note(d, `the repository is ${place.owner}/${place.repo} now`);
  askToPrepare(d);
}

/** Nothing woke the agent after all: the run stays as it was. */
export function nothingLeft(d: Draft): void {
  const { s } = d;
  const before = s.wokenFrom ?? 'done';
  s.taken = [];
  s.wakes = s.wakes.slice(0, -1);
  if (s.closing !== null) return destroy(d);
  if (s.stopRequested === 'operator') return abandonTurn(d, 'paused');
  note(d, `turn ${String(s.turn)} not run: what it was for is gone from the forge`);
  freeze(d, s.untriggered ? 'untriggered' : before);
  if (s.mailbox.length > 0 && wakesOn(s.frozenReason)) wake(d);
}

export function prepareRefused(d: Draft, reason: string): void {
  const { s } = d;
  note(d, `not allowed to run: ${reason}`);
  if (s.confirmed && s.closing === null) {
    // Perhaps for what was so before: no other turn begins by what was seen meanwhile, so this one is tried again.
    s.confirmed = false;
    return askToPrepare(d);
  }
  s.detail = reason;
  if (s.closing !== null && s.turn > 1) return destroy(d);
  if (s.turn > 1) {
    s.untriggered = true;
    return abandonTurn(d, 'untriggered');
  }
  // Nothing was launched, no row was written: the life ends as if it had not begun.
  endLife(d, Math.max(s.endedAt, s.life?.trigger.actAt ?? 0));
}

export function turnStarted(d: Draft): void {
  const { s } = d;
  if (s.taken.length > 0) s.given = s.taken;
  s.taken = [];
  s.omitted = 0;
  s.begun = true;
  s.detail = null;
  if (s.phase !== 'launching' && s.phase !== 'rehydrating') return;
  note(d, `turn ${String(s.turn)} started`);
  if (s.stopRequested !== null) return;
  s.phase = 'running';
  d.commands.push({ kind: 'arm_watchdog', turn: s.turn, ms: watchdogOf(s) });
}

export function turnHeldUp(d: Draft, reason: string): void {
  const { s } = d;
  if (s.begun) return;
  s.detail = reason;
  note(d, `turn ${String(s.turn)} cannot begin yet: ${reason}`);
}

/** The agent may be at work all the same. */
export function turnLost(d: Draft, reason: string | null): void {
  const { turn, stopRequested, begun } = d.s;
  note(d, reason === null ? 'worker lost sight of the turn; attaching again' : `attaching again: ${reason}`);
  d.commands.push({ kind: 'attach_turn', turn, stop: stopRequested, begun });
}

export function checkinAge(d: Draft, ageMs: number | null): void {
  const { s } = d;
  const patience = watchdogOf(s) + s.extendedMs;
  // A host that cannot be asked counts as silence.
  if (ageMs !== null && ageMs < patience) {
    return void d.commands.push({ kind: 'arm_watchdog', turn: s.turn, ms: patience - ageMs });
  }
  s.watchdogFired = true;
  stopTurn(d, 'watchdog');
}

/** The operator's limit, or the agent's own where that is less. */
export function atMost(policyMs: number, agentMs: number | undefined): number {
  return Math.min(policyMs, agentMs ?? policyMs);
}

function watchdogOf({ policy, prepared }: MachineState): number {
  return atMost(policy.watchdogMs, prepared?.watchdogMs);
}

export function stopTurn(d: Draft, reason: StopReason): void {
  const { s } = d;
  if (s.busy !== 'run' || s.stopRequested !== null) return;
  s.stopRequested = reason;
  note(d, `stopping the turn: ${reason}`);
  enterFreezing(d);
  d.commands.push({ kind: 'stop_turn', reason });
}

export function enterFreezing(d: Draft): void {
  if (d.s.phase === 'running') d.commands.push({ kind: 'disarm_watchdog' });
  d.s.phase = 'freezing';
}

export function turnFinished(d: Draft, result: TurnResult): void {
  const { s } = d;
  enterFreezing(d);
  if (s.taken.length > 0) s.given = s.taken;
  s.taken = [];
  s.busy = 'settle';
  s.result = result;
  // The operator's word stands; else the result is authoritative over the signal.
  if (s.stopRequested !== 'operator' || s.done === null) s.done = result.done ?? s.done;
  s.sessionId = result.sessionId ?? s.sessionId;
  d.commands.push({ kind: 'settle_turn', turn: s.turn, result });
}

export function settled(d: Draft, left: SettledTurn): void {
  const { s } = d;
  const { result } = s;
  if (result === null) return;
  s.busy = null;
  s.head = left.head ?? s.head;
  if (left.publish.kind === 'published') s.prs = withPr(s.prs, left.publish.pr);
  spend(s, result);
  const reason = reasonOf(s, result, left);
  s.stuckHash = left.stuckHash;
  s.lastTurn = {
    turn: s.turn,
    exitCode: result.exitCode,
    doneStatus: s.done?.status ?? (reason === 'done' ? 'success' : null),
    reason,
    stopped: result.stopped ?? s.stopRequested,
  };
  note(d, `turn ${String(s.turn)} ended: ${reason}, ${left.publish.kind}`);
  // A worker of an earlier version says nothing of limits.
  s.limit = (result as Partial<TurnResult>).limit ?? null;
  s.detail = detailOf(s, result);
  if (s.limit !== null && s.done === null) s.detail = s.limit.detail;
  if (left.publish.kind === 'refused') s.detail = left.publish.reason;
  s.detail = result.setAside ?? s.detail;
  const nudge = nudgeFor(s, result, left, reason);
  const failure = sessionFailure(s, result);
  if (reason !== 'limited' && reason !== 'failed') s.retries = 0;
  if (s.closing !== null) {
    record(d, result, left, reason);
    destroy(d);
  } else if (s.untriggered) {
    record(d, result, left, 'untriggered');
    freeze(d, 'untriggered');
  } else if (reason === 'untriggered') {
    // Asked for again while the turn was being stopped.
    record(d, result, left, reason);
    beginTurn(d, { kind: 'retriggered' });
  } else if (reason === 'paused' && s.stopRequested === 'pause') {
    record(d, result, left, reason);
    freeze(d, reason);
    holdBackStarted(d);
  } else if (reason === 'limited') {
    record(d, result, left, reason);
    sleepOut(d, result);
  } else if (failure !== null) {
    record(d, result, left, reason);
    startAfresh(d, failure);
    beginTurn(d, s.cause);
  } else if (nudge !== null) {
    record(d, result, left, reason);
    s.nudgesUsed += 1;
    beginTurn(d, nudge);
  } else {
    record(d, result, left, reason);
    freeze(d, reason);
    if (s.mailbox.length > 0 && wakesOn(reason)) wake(d);
  }
}

function record(d: Draft, result: TurnResult, left: SettledTurn, reason: FrozenReason): void {
  d.s.frozenReason = reason;
  d.commands.push({ kind: 'record_turn', turn: d.s.turn, result, settled: left, reason });
}

/** Freezes without having run: what the prompt was made of goes back, in order, before what came since. */
export function abandonTurn(d: Draft, reason: FrozenReason): void {
  const { s } = d;
  s.mailbox = putBack(s.taken, s.mailbox);
  s.taken = [];
  note(d, `turn ${String(s.turn)} not run: ${reason}`);
  freeze(d, reason);
  d.commands.push({ kind: 'record_state' });
}

/** The turn that has not begun waits, and what it is for with it. */
export function holdBack(d: Draft): void {
  const { cause } = d.s;
  abandonTurn(d, 'paused');
  waitForUnpause(d, cause);
}

/** The agent had just started when the pause came: what it was told is told again. */
function holdBackStarted(d: Draft): void {
  const { s } = d;
  s.mailbox = putBack(s.given, s.mailbox);
  s.given = [];
  waitForUnpause(d, s.cause);
}

function waitForUnpause(d: Draft, cause: TurnCause): void {
  const { s } = d;
  if (s.lifted === true) return beginTurn(d, cause);
  s.deferred = cause;
  s.held = true;
  s.detail = s.pauseReason ?? null;
}

export function stepFailed(d: Draft, event: Extract<InnerEvent, { kind: 'step_failed' }>): void {
  const { s } = d;
  const expected = {
    claim: 'prepare',
    prepare: 'prepare',
    run: 'run',
    settle: 'settle',
    destroy: 'destroy',
  } as const;
  if (s.busy !== expected[event.step] || s.turn !== event.turn) return;
  note(d, `${event.step} failed: ${event.reason}`);
  if (event.step === 'claim') {
    // What prepares the turn is still under way, and only one thing at a time may be.
    s.claimFailure = event.reason;
    return launchWhenReady(d);
  }
  if (event.step === 'destroy') return destroyed(d);
  if (s.phase === 'running') d.commands.push({ kind: 'disarm_watchdog' });
  if (s.closing !== null) return destroy(d);
  if (s.untriggered) return abandonTurn(d, 'untriggered');
  if (s.stopRequested === 'operator') return abandonTurn(d, 'paused');
  if (s.stopRequested === 'pause') return holdBack(d);
  if (s.stopRequested === 'untriggered' || s.stopRequested === 'history') {
    // Stopped before it began, for what is not so any more.
    abandonTurn(d, s.stopRequested === 'history' ? 'incomplete' : 'untriggered');
    return beginTurn(d, s.cause);
  }
  s.detail = event.reason;
  abandonTurn(d, 'failed');
}
