/** How a turn comes to its rows when its agent has exited. */
import type { SettledTurn } from '../domain/events.js';
import type { FrozenReason, TurnResult } from '../domain/turn.js';
import { spend } from './machine-budget.js';
import { freeze, note, type Draft } from './machine-draft.js';
import { destroy } from './machine-end.js';
import { withPr } from './machine-forge.js';
import { sleepOut } from './machine-limit.js';
import { putBack } from './machine-mailbox.js';
import { sessionFailure, startAfresh } from './machine-session.js';
import { beginTurn, waitForUnpause, wake } from './machine-turn.js';
import { detailOf, nudgeFor, reasonOf, wakesOn } from './machine-verdict.js';

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

/**
 * Nobody could take out what the agent left, or the run ended meanwhile. The turn has its rows all the same, and what it
 * used counts; people see why. @param why for people
 */
export function unsettled(d: Draft, why: string): void {
  const { s } = d;
  const { result } = s;
  if (result === null) return;
  const left: SettledTurn = {
    publish: { kind: 'refused', reason: why },
    stuck: false,
    stuckHash: s.stuckHash,
    uncommitted: 0,
    uncommittedRef: null,
    head: null,
    transcriptHash: null,
  };
  spend(s, result);
  s.busy = null;
  s.detail = why;
  const isHeldBack = s.stopRequested === 'pause' && !s.untriggered;
  const cut = isHeldBack ? 'paused' : s.untriggered ? 'untriggered' : 'failed';
  const reason = s.closing !== null ? 'incomplete' : cut;
  const doneStatus = s.done?.status ?? null;
  const stopped = result.stopped ?? s.stopRequested;
  s.lastTurn = { turn: s.turn, exitCode: result.exitCode, doneStatus, reason, stopped };
  record(d, result, left, reason);
  if (s.closing !== null) return destroy(d);
  freeze(d, reason);
  if (isHeldBack) holdBackStarted(d);
}

/** The agent had just started when the pause came: what it was told is told again. */
function holdBackStarted(d: Draft): void {
  const { s } = d;
  s.mailbox = putBack(s.given, s.mailbox);
  s.given = [];
  waitForUnpause(d, s.cause);
}
