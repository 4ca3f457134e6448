/** The host that a run is on: it may fall silent, and be left for another one. */
import type { InnerEvent } from '../../domain/run/events.js';
import type { TurnCause } from '../../domain/run/turn.js';
import { freeze, note, record, type LifeDraft } from './draft.js';
import { destroy } from './end.js';
import { launchWhenReady } from './preparing.js';
import { disarmWatchdog } from './running.js';
import { leave } from './session.js';
import { unsettled, unwatched } from './settling.js';
import type { Life, Running, Settling } from './state.js';
import { tellAgain } from './mailbox.js';
import { askToPrepare, beginTurn, keepCause, waitForUnpause } from './turn.js';

/** Nobody there takes what the turn needs. It goes on to wait: a worker that comes back finds it. */
export function hostSilent(d: LifeDraft, stage: Running | Settling, since: number): void {
  if (stage.silentSince !== null) return;
  stage.silentSince = since;
  note(d, `host ${stage.host} does not answer`);
}

export function hostBack(d: LifeDraft, stage: Running | Settling): void {
  if (stage.silentSince === null) return;
  stage.silentSince = null;
  note(d, `host ${stage.host} answers again`);
}

/** For people: what the run waits for, and what they can do; `null` while its host is not seen to be silent. */
export function silenceOf({ slug, stage, closing }: Life): string | null {
  if ((stage.kind !== 'running' && stage.kind !== 'settling') || stage.silentSince === null) return null;
  const since = new Date(stage.silentSince).toISOString();
  const waits = `waits for host ${stage.host} since ${since}; its worker does not answer`;
  if (closing !== null) return `${waits}: the run ends without it soon`;
  return `${waits}: start it, or bot-bottle signal ${slug} move`;
}

/** Why the run stays where it is, or `null`. Of a turn that a worker is at, nothing is given up that could be had. */
export function moveRefusal({ host, stage }: Life): string | null {
  if (host === null) return 'it is on no host: its next turn takes one';
  switch (stage.kind) {
    case 'frozen':
      return stage.archiving ? 'its containers are being put away: try again in a moment' : null;
    case 'running':
    case 'settling':
      if (stage.silentSince !== null) return null;
      return `a turn is under way, and nobody has seen host ${host} fall silent: freeze it first, or wait until its reason is host_silent`;
    default:
      return 'a turn is about to begin: freeze it first, or wait';
  }
}

/**
 * The run is on no host any more, and its next turn claims one; a turn that was under way is given up, and the next one
 * begins at once. What the host that was left still says or does is of an earlier turn and epoch.
 */
export function leaveHost(d: LifeDraft): void {
  const { life } = d;
  const { host: from, stage, lastTurn } = life;
  if (from === null) return;
  life.host = null;
  life.epoch += 1;
  life.move = { from, last: lastTurn?.turn ?? 0, kept: null };
  note(d, `host ${from} is left`);
  if (stage.kind === 'running') giveUp(d, stage);
  else if (stage.kind === 'settling') giveUpSettling(d, stage);
  else record(d);
}

function giveUp(d: LifeDraft, stage: Running): void {
  const { life, commands } = d;
  const { turn, withheld } = life;
  disarmWatchdog(d, stage);
  commands.push({ kind: 'leave_host' });
  note(d, `turn ${String(turn.number)} is given up`);
  if (stage.begun) unwatched(d, `what turn ${String(turn.number)} left is on host ${stage.host}`);
  const isHeld = turn.stop === 'operator' || turn.stop === 'pause';
  tellAgain(life, [...turn.given, ...turn.taken]);
  turn.given = [];
  turn.taken = [];
  freeze(d, withheld ?? (isHeld ? 'paused' : 'incomplete'));
  record(d);
  goOn(d);
}

function giveUpSettling(d: LifeDraft, stage: Settling): void {
  const { life, commands } = d;
  const { turn } = life;
  commands.push({ kind: 'leave_host' });
  unsettled(d, stage, `what turn ${String(turn.number)} left is on host ${stage.host}`);
  tellAgain(life, turn.given);
  turn.given = [];
  goOn(d);
}

/** Unless it was to rest anyway. */
function goOn(d: LifeDraft): void {
  const { life } = d;
  const { turn, withheld, stage } = life;
  if (stage.kind !== 'frozen') return;
  if (withheld !== null || turn.stop === 'operator') {
    if (turn.cause.kind !== 'nudge') keepCause(d);
    return;
  }
  if (turn.stop === 'pause') return waitForUnpause(d);
  beginTurn(d, goingOnWith(turn.cause));
}

/** What a nudge is about was in the workspace that was left. */
function goingOnWith(cause: TurnCause): TurnCause {
  return cause.kind === 'nudge' ? { kind: 'operator', promptRef: null } : cause;
}

/** It was moved, and has no new host yet: nothing is prepared before. */
export function isBetweenHosts({ move }: Life): boolean {
  return move?.kept === null;
}

export function hostClaimed(
  d: LifeDraft,
  { host, holds = 0 }: Extract<InnerEvent, { kind: 'host_claimed' }>,
): void {
  const { life } = d;
  const { stage, move } = life;
  life.host ??= host;
  if (stage.kind !== 'preparing') return;
  if (move?.kept !== null) return launchWhenReady(d, stage);
  if (life.closing !== null) return destroy(d);
  const kept = move.last > 0 && holds >= move.last;
  life.move = { ...move, kept };
  if (kept) note(d, `goes on on host ${life.host} from the end of turn ${String(move.last)}`);
  else {
    note(
      d,
      `goes on on host ${life.host} from what the forge has: what was only on ${move.from} is not there`,
    );
    // What it is about was in the workspace that was left.
    delete life.refusal;
    // None, where no turn has ended.
    if (life.session.id !== null) leave(life, 'lost');
  }
  askToPrepare(d);
}
