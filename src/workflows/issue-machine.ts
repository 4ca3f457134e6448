/**
 * The whole life of an issue as a pure function: (state, event) -> state and commands. No clock, no randomness, no
 * Temporal: the workflow hands those in and carries the commands out. Source: product spec, section "Lifecycle".
 */
import type { InnerEvent, MachineEvent } from '../domain/events.js';
import { isLocal } from '../domain/issue.js';
import { archive, archiveOver } from './machine-archive.js';
import { command } from './machine-command.js';
import { isCurrent, note, type Draft, type StepEnv } from './machine-draft.js';
import { destroyed } from './machine-end.js';
import { stepFailed } from './machine-failed.js';
import { withPr } from './machine-forge.js';
import { close, observed, references } from './machine-life.js';
import { isDue } from './machine-limit.js';
import { metPause, paused, unpaused } from './machine-pause.js';
import type { MachineCommand, MachineState } from './machine-state.js';
import { settled } from './machine-settle.js';
import * as turn from './machine-turn.js';
import { isToldOnForge } from './machine-verdict.js';

export type { MachineCommand, MachineState } from './machine-state.js';
export { initialState, nextLife } from './machine-state.js';
export { refusalOf } from './machine-command.js';

/** Most answers kept for repetition. */
const MAX_ANSWERS = 50;

export interface Step {
  readonly state: MachineState;
  readonly commands: readonly MachineCommand[];
}

export function step(state: MachineState, event: MachineEvent, env: StepEnv): Step {
  const draft: Draft = { s: { ...state }, env, commands: [] };
  apply(draft, event);
  tellFrozen(draft, state, event);
  return { state: draft.s, commands: draft.commands };
}

/** Between turns, with nothing in flight: the moment at which the history may be cut. */
export function isQuiescent(state: MachineState): boolean {
  return state.busy === null && (state.phase === 'frozen' || state.phase === 'idle');
}

/** Of what the whole step came to: a run that was woken at once did not freeze for anybody. */
function tellFrozen({ s, commands }: Draft, before: MachineState, event: MachineEvent): void {
  const { phase, frozenReason: reason } = s;
  if (phase !== 'frozen' || reason === null || isLocal(s.subject) || !isToldOnForge(reason)) return;
  const isNews = before.phase !== 'frozen' || before.frozenReason !== reason;
  if (isNews && event.kind !== 'nothing_left') commands.push({ kind: 'tell_frozen', reason });
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
      return turn.launchWhenReady(d);
    case 'prepared':
      if (!isCurrent(d, 'prepare', event.turn)) return;
      d.s.prepared = event.prepared;
      turn.alreadyRead(d, event.prepared.readKeys);
      return turn.launchWhenReady(d);
    case 'moved':
      if (!isCurrent(d, 'prepare', event.turn)) return;
      return turn.prepareElsewhere(d, event.place);
    case 'nothing_left':
      if (!isCurrent(d, 'prepare', event.turn)) return;
      return turn.nothingLeft(d);
    case 'over_budget':
      if (!isCurrent(d, 'prepare', event.turn)) return;
      return turn.dayIsSpent(d, event.reason, event.until);
    case 'met_pause':
      if (!isCurrent(d, 'prepare', event.turn)) return;
      return metPause(d, event.reason);
    case 'prepare_refused':
      if (!isCurrent(d, 'prepare', event.turn)) return;
      return turn.prepareRefused(d, event.reason);
    case 'turn_started':
      if (!isCurrent(d, 'run', event.turn) || event.slug !== d.s.life?.slug) return;
      return turn.turnStarted(d);
    case 'turn_held_up':
      if (!isCurrent(d, 'run', event.turn) || event.slug !== d.s.life?.slug) return;
      return turn.turnHeldUp(d, event.reason);
    // while it runs
    case 'done':
      if (!isCurrent(d, 'run', event.turn) || event.slug !== d.s.life?.slug || d.s.done !== null) return;
      d.s.done = event.done;
      return turn.enterFreezing(d);
    case 'watchdog_fired':
      if (!isCurrent(d, 'run', event.turn) || d.s.phase !== 'running') return;
      return void d.commands.push({ kind: 'ask_checkin', turn: event.turn });
    case 'checkin_age':
      if (!isCurrent(d, 'run', event.turn) || d.s.phase !== 'running') return;
      return turn.checkinAge(d, event.ageMs);
    case 'history_full':
      return turn.stopTurn(d, 'history');
    // and after it
    case 'turn_lost':
      if (!isCurrent(d, 'run', event.turn)) return;
      return turn.turnLost(d, event.reason);
    case 'turn_finished':
      if (!isCurrent(d, 'run', event.turn)) return;
      return turn.turnFinished(d, event.result);
    case 'settled':
      if (!isCurrent(d, 'settle', event.turn)) return;
      return settled(d, event.settled);
    case 'step_failed':
      return stepFailed(d, event);
    // between turns
    case 'resume_due':
      return isDue(d.s, event) ? turn.resumeDue(d) : undefined;
    case 'paused':
      return d.s.life === null ? undefined : paused(d, event.reason);
    case 'unpaused':
      return d.s.life === null || d.s.closing !== null ? undefined : unpaused(d);
    case 'archive':
      return archive(d, event.slug);
    case 'archived':
      return archiveOver(d, 'containers put away');
    case 'archive_failed':
      return archiveOver(d, `containers not put away: ${event.reason}`);
    case 'destroyed':
      if (d.s.busy !== 'destroy') return;
      return destroyed(d);
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
