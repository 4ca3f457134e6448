/**
 * The whole life of an issue as a pure function: (state, event) -> state and commands. No clock, no randomness, no
 * Temporal: the workflow hands those in and carries the commands out. Source: product spec, section "Lifecycle".
 */
import type {
  InnerEvent,
  MachineEvent,
  Observed,
  OperatorCommand,
  SettledTurn,
  Trigger,
} from '../domain/events.js';
import { makeSlug } from '../domain/slug.js';
import { FORGE_CLOCK_GRAIN_MS, isLaterAct } from '../domain/trigger.js';
import type { FrozenReason, StopReason, TurnCause, TurnResult } from '../domain/turn.js';
import { absorbObserved, absorbPlace, closingOf, withPr } from './machine-forge.js';
import { receive, remember } from './machine-mailbox.js';
import type { MachineCommand, MachineState } from './machine-state.js';
import { nudgeFor, reasonOf, wakesOn } from './machine-verdict.js';

export type { MachineCommand, MachineState } from './machine-state.js';
export { initialState, nextLife } from './machine-state.js';

/** Most answers kept for repetition, and lines of the timeline. */
const MAX_ANSWERS = 50;
const MAX_TIMELINE = 200;
const HOUR_MS = 3_600_000;

export interface StepEnv {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Numbers in [0, 1) for the slug. */
  readonly random: () => number;
}

/** One step under way: a copy of the state to change, and what to do. */
interface Draft {
  readonly s: MachineState;
  readonly env: StepEnv;
  readonly commands: MachineCommand[];
}

export interface Step {
  readonly state: MachineState;
  readonly commands: readonly MachineCommand[];
}

export function step(state: MachineState, event: MachineEvent, env: StepEnv): Step {
  const draft: Draft = { s: { ...state }, env, commands: [] };
  apply(draft, event);
  return { state: draft.s, commands: draft.commands };
}

/** Between turns, with nothing in flight: the moment at which the history may be cut. */
export function isQuiescent(state: MachineState): boolean {
  return state.busy === null && (state.phase === 'frozen' || state.phase === 'idle');
}

function apply(d: Draft, event: MachineEvent): void {
  switch (event.kind) {
    // from the forge, in every phase
    case 'observed':
      return observed(d, event);
    case 'references':
      return references(d, event);
    case 'lost':
      if (d.s.life === null || d.s.busy === 'destroy') return;
      return close(d, { at: event.readAt, why: event.why });
    case 'command':
      return command(d, event.command, event.at);
    case 'published':
      return published(d, event);
    // towards a running turn
    case 'host_claimed':
      if (d.s.life === null || d.s.host !== null) return;
      d.s.host = event.host;
      return launchWhenReady(d);
    case 'prepared':
      if (!isCurrent(d, 'prepare', event.turn)) return;
      d.s.prepared = event.prepared;
      alreadyRead(d, event.prepared.readKeys);
      return launchWhenReady(d);
    case 'nothing_left':
      if (!isCurrent(d, 'prepare', event.turn)) return;
      return nothingLeft(d);
    case 'prepare_refused':
      if (!isCurrent(d, 'prepare', event.turn)) return;
      return prepareRefused(d, event.reason);
    case 'turn_started':
      if (!isCurrent(d, 'run', event.turn) || event.slug !== d.s.life?.slug) return;
      return turnStarted(d);
    // while it runs
    case 'done':
      if (!isCurrent(d, 'run', event.turn) || event.slug !== d.s.life?.slug || d.s.done !== null) return;
      d.s.done = event.done;
      return enterFreezing(d);
    case 'watchdog_fired':
      if (!isCurrent(d, 'run', event.turn) || d.s.phase !== 'running') return;
      return void d.commands.push({ kind: 'ask_checkin', turn: event.turn });
    case 'checkin_age':
      if (!isCurrent(d, 'run', event.turn) || d.s.phase !== 'running') return;
      return checkinAge(d, event.ageMs);
    case 'history_full':
      return stopTurn(d, 'history');
    // and after it
    case 'turn_lost':
      if (!isCurrent(d, 'run', event.turn)) return;
      note(d, 'worker lost sight of the turn; attaching again');
      return void d.commands.push({ kind: 'attach_turn', turn: event.turn, stop: d.s.stopRequested });
    case 'turn_finished':
      if (!isCurrent(d, 'run', event.turn)) return;
      return turnFinished(d, event.result);
    case 'settled':
      if (!isCurrent(d, 'settle', event.turn)) return;
      return settled(d, event.settled);
    case 'step_failed':
      return stepFailed(d, event);
    case 'destroyed':
      if (d.s.busy !== 'destroy') return;
      return destroyed(d);
  }
}

function isCurrent(d: Draft, busy: MachineState['busy'], turn: number): boolean {
  return d.s.busy === busy && d.s.turn === turn;
}

// -- the forge ---------------------------------------------------------------------------------------------------

function observed(d: Draft, event: Observed): void {
  const moved = absorbPlace(d.s, event.place);
  // Another repository that took the name of ours.
  if (moved === 'foreign') return;
  if (moved === 'moved') {
    note(d, `the repository is ${event.place.owner}/${event.place.repo} now`);
    d.commands.push({ kind: 'record_state' });
  }
  const fresh = absorbObserved(d.s, event);
  const { trigger } = event;
  if (trigger !== null && fresh) triggered(d, trigger);
  if (d.s.life === null || d.s.busy === 'destroy') return;
  const closing = d.s.closing ?? closingOf(d.s, event, fresh);
  if (closing !== null) return close(d, closing);
  if (fresh && !event.triggered) untrigger(d);
}

function triggered(d: Draft, trigger: Trigger): void {
  const { s } = d;
  const waiting = s.phase === 'idle' ? null : s.pendingTrigger;
  if (!isLaterAct(trigger, waiting ?? s.lastTrigger)) return;
  // Not later than the end of a life, as far as the forge's clock can tell.
  const endedAt = s.life === null ? s.endedAt : (s.closing?.at ?? 0);
  if (trigger.actAt + FORGE_CLOCK_GRAIN_MS <= endedAt) return;
  if (s.life === null && s.phase === 'idle') return beginLife(d, trigger);
  if (s.life === null || s.closing !== null) {
    // Never lost: the fresh life begins when this one has ended.
    s.pendingTrigger = trigger;
    return;
  }
  if (trigger.agent !== s.life.trigger.agent) {
    s.pendingTrigger = trigger;
    // A life is one agent's. What its pull request holds stays; the next agent's prompt names it.
    return close(d, { at: trigger.actAt - 1, why: `${trigger.agent} was asked for instead` });
  }
  s.lastTrigger = { actAt: trigger.actAt, actId: trigger.actId };
  s.life = { ...s.life, trigger };
  if (s.busy !== null) {
    s.untriggered = false;
  } else if (s.frozenReason === 'untriggered') {
    s.untriggered = false;
    beginTurn(d, { kind: 'retriggered' });
  }
}

function beginLife(d: Draft, trigger: Trigger): void {
  const { s, env } = d;
  const slug =
    s.named?.agent === trigger.agent ? s.named.slug : makeSlug(trigger.agent, s.subject, env.random);
  s.named = null;
  s.life = { slug, trigger, startedAt: env.now };
  s.lastTrigger = { actAt: trigger.actAt, actId: trigger.actId };
  s.host = null;
  s.turn = 0;
  s.prs = trigger.pull === null ? [] : [{ number: trigger.pull, open: true, readAt: 0 }];
  s.closing = null;
  s.pendingTrigger = null;
  s.untriggered = false;
  s.nudgesUsed = 0;
  s.wakes = [];
  s.answers = [];
  s.sessionId = null;
  s.head = null;
  s.stuckHash = null;
  s.lastTurn = null;
  note(d, `triggered by ${trigger.operator === undefined ? trigger.actor : 'the operator'}`);
  startPreparing(d, { kind: 'first' }, 'queued');
}

function untrigger(d: Draft): void {
  const { s } = d;
  if (s.untriggered || s.life?.trigger.operator !== undefined) return;
  s.untriggered = true;
  note(d, 'unassigned or unlabelled');
  if (s.busy === 'run') stopTurn(d, 'untriggered');
  else if (s.phase === 'frozen') freeze(d, 'untriggered');
}

function close(d: Draft, closing: NonNullable<MachineState['closing']>): void {
  const { s } = d;
  if (s.closing !== null) return;
  s.closing = closing;
  note(d, closing.why);
  if (s.busy === 'run') stopTurn(d, 'closed');
  else if (s.busy === null) destroy(d);
}

function references(d: Draft, event: Extract<MachineEvent, { kind: 'references' }>): void {
  const { s } = d;
  if (s.life === null || s.closing !== null) return;
  if (!receive(s, event.references, event.withdrawn)) return;
  if (s.phase === 'frozen' && s.busy === null && s.mailbox.length > 0 && wakesOn(s.frozenReason)) wake(d);
}

/** What the prompt has in its latest form is not told again when the delivery of that form arrives. */
function alreadyRead(d: Draft, keys: readonly string[]): void {
  const { s } = d;
  if (keys.length === 0) return;
  s.mailbox = s.mailbox.filter((ref) => !keys.includes(ref.key));
  s.seen = remember(s.seen, keys);
}

/** Nothing woke the agent after all: the run stays as it was. */
function nothingLeft(d: Draft): void {
  const { s } = d;
  const before = s.wokenFrom ?? 'done';
  s.taken = [];
  s.wakes = s.wakes.slice(0, -1);
  if (s.closing !== null) return destroy(d);
  if (s.stopRequested !== null) return abandonTurn(d, 'paused');
  note(d, `turn ${String(s.turn)} not run: what it was for is gone from the forge`);
  freeze(d, s.untriggered ? 'untriggered' : before);
  if (s.mailbox.length > 0 && wakesOn(s.frozenReason)) wake(d);
}

// -- turns -------------------------------------------------------------------------------------------------------

/** Rehydrates for the mailbox's sake, unless that happened too often lately. */
function wake(d: Draft): void {
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

function beginTurn(d: Draft, cause: TurnCause): void {
  startPreparing(d, cause, 'rehydrating');
}

function startPreparing(d: Draft, cause: TurnCause, phase: 'queued' | 'rehydrating'): void {
  const { s } = d;
  s.phase = phase;
  s.busy = 'prepare';
  s.wokenFrom = s.frozenReason;
  s.turn += 1;
  s.cause = cause;
  s.taken = s.mailbox;
  s.mailbox = [];
  s.prepared = null;
  s.result = null;
  s.done = null;
  s.stopRequested = null;
  s.frozenReason = null;
  s.detail = null;
  s.watchdogFired = false;
  s.extendedMs = 0;
  s.claimFailure = null;
  // Once a life, unless it failed for good.
  if (s.host === null) d.commands.push({ kind: 'claim_host' });
  d.commands.push({ kind: 'prepare_turn', turn: s.turn, cause, references: s.taken, omitted: s.omitted });
}

function launchWhenReady(d: Draft): void {
  const { s } = d;
  if (s.busy !== 'prepare' || s.prepared === null) return;
  if (s.host === null && s.claimFailure === null) return;
  if (s.closing !== null) return destroy(d);
  if (s.untriggered) return abandonTurn(d, 'untriggered');
  if (s.stopRequested !== null) return abandonTurn(d, 'paused');
  if (s.host === null) {
    s.detail = s.claimFailure;
    return abandonTurn(d, 'failed');
  }
  if (s.phase === 'queued') s.phase = 'launching';
  s.busy = 'run';
  d.commands.push({ kind: 'run_turn', turn: s.turn });
}

function turnStarted(d: Draft): void {
  const { s } = d;
  s.taken = [];
  s.omitted = 0;
  if (s.phase !== 'launching' && s.phase !== 'rehydrating') return;
  note(d, `turn ${String(s.turn)} started`);
  if (s.stopRequested !== null) return;
  s.phase = 'running';
  d.commands.push({ kind: 'arm_watchdog', turn: s.turn, ms: s.policy.watchdogMs }, { kind: 'show_phase' });
}

function checkinAge(d: Draft, ageMs: number | null): void {
  const { s } = d;
  const patience = s.policy.watchdogMs + s.extendedMs;
  // A host that cannot be asked counts as silence.
  if (ageMs !== null && ageMs < patience) {
    return void d.commands.push({ kind: 'arm_watchdog', turn: s.turn, ms: patience - ageMs });
  }
  s.watchdogFired = true;
  stopTurn(d, 'watchdog');
}

function stopTurn(d: Draft, reason: StopReason): void {
  const { s } = d;
  if (s.busy !== 'run' || s.stopRequested !== null) return;
  s.stopRequested = reason;
  note(d, `stopping the turn: ${reason}`);
  enterFreezing(d);
  d.commands.push({ kind: 'stop_turn', reason });
}

function enterFreezing(d: Draft): void {
  if (d.s.phase === 'running') d.commands.push({ kind: 'disarm_watchdog' });
  d.s.phase = 'freezing';
}

function turnFinished(d: Draft, result: TurnResult): void {
  const { s } = d;
  enterFreezing(d);
  s.taken = [];
  s.busy = 'settle';
  s.result = result;
  // The operator's word stands; else the result is authoritative over the signal.
  if (s.stopRequested !== 'operator' || s.done === null) s.done = result.done ?? s.done;
  s.sessionId = result.sessionId ?? s.sessionId;
  d.commands.push({ kind: 'settle_turn', turn: s.turn, result });
}

function settled(d: Draft, left: SettledTurn): void {
  const { s } = d;
  const { result } = s;
  if (result === null) return;
  s.busy = null;
  s.head = left.head ?? s.head;
  if (left.publish.kind === 'published') s.prs = withPr(s.prs, left.publish.pr);
  const reason = reasonOf(s, result, left);
  s.stuckHash = left.stuckHash;
  s.lastTurn = { turn: s.turn, exitCode: result.exitCode, doneStatus: s.done?.status ?? null, reason };
  note(d, `turn ${String(s.turn)} ended: ${reason}, ${left.publish.kind}`);
  if (left.publish.kind === 'refused') s.detail = left.publish.reason;
  const nudge = nudgeFor(s, result, left, reason);
  if (s.closing !== null) {
    record(d, result, left, reason);
    destroy(d);
  } else if (s.untriggered) {
    record(d, result, left, 'untriggered');
    freeze(d, 'untriggered');
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

function freeze(d: Draft, reason: FrozenReason): void {
  d.s.phase = 'frozen';
  d.s.busy = null;
  d.s.frozenReason = reason;
  d.commands.push({ kind: 'show_phase' });
}

/** Freezes without having run: what the prompt was made of goes back, in order, before what came since. */
function abandonTurn(d: Draft, reason: FrozenReason): void {
  const { s } = d;
  s.mailbox = [...s.taken, ...s.mailbox];
  s.taken = [];
  note(d, `turn ${String(s.turn)} not run: ${reason}`);
  freeze(d, reason);
  d.commands.push({ kind: 'record_state' });
}

function prepareRefused(d: Draft, reason: string): void {
  const { s } = d;
  note(d, `not allowed to run: ${reason}`);
  s.detail = reason;
  if (s.closing !== null && s.turn > 1) return destroy(d);
  if (s.turn > 1) {
    s.untriggered = true;
    return abandonTurn(d, 'untriggered');
  }
  // Nothing was launched, no row was written: the life ends as if it had not begun.
  endLife(d, Math.max(s.endedAt, s.life?.trigger.actAt ?? 0));
}

function stepFailed(d: Draft, event: Extract<InnerEvent, { kind: 'step_failed' }>): void {
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
  s.detail = event.reason;
  abandonTurn(d, 'failed');
}

// -- the end -----------------------------------------------------------------------------------------------------

function destroy(d: Draft): void {
  const { s } = d;
  s.phase = 'destroying';
  s.busy = 'destroy';
  d.commands.push({ kind: 'destroy', slug: s.life?.slug ?? '' }, { kind: 'show_phase' });
}

function destroyed(d: Draft): void {
  const { s, env } = d;
  const endedAt = s.closing?.at ?? env.now;
  d.commands.push({ kind: 'record_end', slug: s.life?.slug ?? '', endedAt });
  note(d, 'destroyed');
  endLife(d, endedAt);
}

function endLife(d: Draft, endedAt: number): void {
  const { s } = d;
  s.phase = 'destroyed';
  s.busy = null;
  s.endedAt = endedAt;
  s.life = null;
  s.closing = null;
  s.mailbox = [];
  s.taken = [];
  s.omitted = 0;
}

// -- people and agents -------------------------------------------------------------------------------------------

function command(d: Draft, asked: OperatorCommand, at: number): void {
  const { s } = d;
  if (refusalOf(s, asked) !== null) return;
  note(d, `operator: ${asked.kind}`);
  switch (asked.kind) {
    case 'freeze':
      if (s.busy === 'run') return stopTurn(d, 'operator');
      if (s.busy === 'prepare') return void (s.stopRequested = 'operator');
      freeze(d, 'paused');
      return void d.commands.push({ kind: 'record_state' });
    case 'resume':
      s.untriggered = false;
      s.nudgesUsed = 0;
      return beginTurn(d, { kind: 'operator', promptRef: asked.promptRef });
    case 'destroy':
      return close(d, { at, why: 'destroyed by the operator' });
    case 'extend':
      return void (s.extendedMs += asked.ms);
    case 'done':
      s.done ??= { id: `operator-${String(s.turn)}`, status: asked.status, summaryRef: '' };
      return stopTurn(d, 'operator');
  }
}

const MAX_EXTEND_MS = 24 * HOUR_MS;

/** Why a command cannot apply now, or `null`. The update's validator: a refused command leaves no trace in history. */
export function refusalOf(s: MachineState, asked: OperatorCommand): string | null {
  if (s.life === null) return 'there is no run: it ended, or has not begun';
  if (s.closing !== null) return 'the run is being destroyed';
  switch (asked.kind) {
    case 'freeze':
      if (s.frozenReason === 'paused' && s.phase === 'frozen') return 'the run is already paused';
      return s.phase === 'freezing' ? 'the run is freezing already' : null;
    case 'resume':
      return s.phase === 'frozen' ? null : `a turn is under way (${s.phase}): freeze it first, or wait`;
    case 'destroy':
      return null;
    case 'extend':
      if (!Number.isSafeInteger(asked.ms) || asked.ms <= 0 || asked.ms > MAX_EXTEND_MS)
        return 'extend takes up to 24 h';
      return s.phase === 'running' ? null : `no turn is running (${s.phase})`;
    case 'done':
      return s.phase === 'running' ? null : `no turn is running (${s.phase})`;
  }
}

function published(d: Draft, event: Extract<InnerEvent, { kind: 'published' }>): void {
  const { s } = d;
  if (s.answers.some((known) => known.requestId === event.requestId)) return;
  s.answers = [...s.answers, { requestId: event.requestId, result: event.result }].slice(-MAX_ANSWERS);
  if (event.result.kind === 'published') {
    s.prs = withPr(s.prs, event.result.pr);
    note(d, `published as PR #${String(event.result.pr)}`);
  }
}

function note(d: Draft, what: string): void {
  d.s.timeline = [...d.s.timeline, { at: d.env.now, turn: d.s.turn, what }].slice(-MAX_TIMELINE);
}
