/** A turn whose prompt is being made: it is launched, or does not come to run. */
import type { PrepareTurnOutcome } from '../../domain/run/events.js';
import type { Place } from '../../domain/forge/issue.js';
import { uncount } from './checks.js';
import { freeze, note, record, type LifeDraft } from './draft.js';
import { destroy, endLife } from './end.js';
import { turnInput } from './inputs.js';
import { wakeAt } from './provider-limit.js';
import { alreadyRead } from './mailbox.js';
import { absorbPlace } from './reads-of-forge.js';
import type { Preparing, Running } from './state.js';
import { abandonTurn, askToPrepare, beginAgain, holdBack, wakeIfAny } from './turn.js';

export function prepareEnded(d: LifeDraft, stage: Preparing, outcome: PrepareTurnOutcome): void {
  switch (outcome.kind) {
    case 'ready':
      stage.prepared = outcome.prepared;
      d.life.work = { ...d.life.work, branch: outcome.prepared.branch };
      alreadyRead(d.s, d.life, outcome.prepared.readKeys);
      return launchWhenReady(d, stage);
    case 'moved':
      return prepareElsewhere(d, outcome.place);
    case 'nothing_left':
      return nothingLeft(d);
    case 'over_budget':
      return dayIsSpent(d, outcome.reason, outcome.until);
    case 'paused':
      return metPause(d, outcome.reason);
    case 'refused':
      return refused(d, stage, outcome.reason);
  }
}

/** Prompt and host may come in any order. */
export function launchWhenReady(d: LifeDraft, { prepared, claimFailure }: Preparing): void {
  const { s, life, commands } = d;
  const { host, turn } = life;
  if (prepared === null || (host === null && claimFailure === null)) return;
  if (isCalledOff(d)) return;
  if (turn.stop === 'pause') return holdBack(d);
  if (host === null) {
    abandonTurn(d, 'failed');
    life.detail = claimFailure;
    return;
  }
  // It would be stopped as soon as it runs, and its agent may not get to read what it is told.
  if (d.env.isFull) return beginAgain(d, 'history');
  const running: Running = { kind: 'running', host, prepared, begun: false, silentSince: null };
  life.stage = running;
  turn.resumed = life.session.id !== null;
  if (!turn.resumed) life.session = { ...life.session, turns: 0, tokens: 0 };
  const input = turnInput(s, life, running, null);
  commands.push({ kind: 'run_turn', host, input, cause: turn.cause, told: turn.taken.length });
}

/** What was said while the turn was on its way counts more than what came of that. */
export function isCalledOff(d: LifeDraft): boolean {
  const { closing, withheld, turn } = d.life;
  if (closing !== null) destroy(d);
  else if (withheld !== null) abandonTurn(d, withheld);
  else if (turn.stop === 'operator') abandonTurn(d, 'paused');
  else return false;
  return true;
}

/** The day's budget is used up: the turn waits for the next day, or for the operator. */
function dayIsSpent(d: LifeDraft, reason: string, until: number): void {
  const { life } = d;
  if (isCalledOff(d)) return;
  abandonTurn(d, 'budget');
  life.detail = reason;
  wakeAt(d, until);
}

/** The preparation of the turn met the pause. */
function metPause(d: LifeDraft, reason: string): void {
  if (isCalledOff(d)) return;
  d.life.turn.pauseReason = reason;
  holdBack(d);
}

/** The same turn once more, where the repository is now. */
function prepareElsewhere(d: LifeDraft, place: Place): void {
  const moved = absorbPlace(d.s, place) === 'moved';
  if (isCalledOff(d)) return;
  if (!moved) return abandonTurn(d, 'failed');
  note(d, `the repository is ${place.owner}/${place.repo} now`);
  askToPrepare(d);
}

/** Nothing woke the agent after all: the run stays as it was. */
function nothingLeft(d: LifeDraft): void {
  const { life } = d;
  const { turn, withheld } = life;
  // A turn that goes on with an interrupted one was no wake of its own.
  if (turn.cause.kind === 'wake') {
    uncount(life, turn.taken);
    life.wakes = life.wakes.slice(0, -1);
  }
  turn.taken = [];
  if (life.closing !== null) return destroy(d);
  if (turn.stop === 'operator') return abandonTurn(d, 'paused');
  note(d, `turn ${String(turn.number)} not run: what it was for is gone from the forge`);
  freeze(d, withheld ?? turn.wokenFrom ?? 'done');
  record(d);
  wakeIfAny(d);
}

function refused(d: LifeDraft, stage: Preparing, reason: string): void {
  const { s, life } = d;
  const isFirst = life.turn.number === 1;
  note(d, `not allowed to run: ${reason}`);
  if (stage.confirmed && life.closing === null) {
    // Perhaps for what was so before: no other turn begins by what was seen meanwhile, so this one is tried again.
    stage.confirmed = false;
    return askToPrepare(d);
  }
  life.detail = reason;
  // Nothing was launched, no row was written: the life ends as if it had not begun.
  if (isFirst) return endLife(d, Math.max(s.endedAt, life.trigger.actAt));
  if (life.closing !== null) return destroy(d);
  life.withheld = 'untriggered';
  abandonTurn(d, 'untriggered');
}
