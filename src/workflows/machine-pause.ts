/** The operator has paused new turns: what would begin waits, and what is under way goes on to its end. */
import type { Draft } from './machine-draft.js';
import { destroy } from './machine-end.js';
import { abandonTurn, beginTurn, holdBack, stopTurn } from './machine-turn.js';

/** Paused while a turn of this run is on its way: one whose agent was seen to start is under way. */
export function paused(d: Draft, reason: string): void {
  const { s } = d;
  s.lifted = false;
  if (s.closing !== null || s.stopRequested !== null || s.begun) return;
  if (s.busy === 'prepare') s.stopRequested = 'pause';
  else if (s.busy === 'run') stopTurn(d, 'pause');
  else return;
  s.pauseReason = reason;
}

/** What was held back begins. The word may be here before the news that there is something to hold back. */
export function unpaused(d: Draft): void {
  const { s } = d;
  s.lifted = true;
  if (s.busy === 'prepare' && s.stopRequested === 'pause') s.stopRequested = null;
  if (s.phase !== 'frozen' || s.held !== true) return;
  const cause = s.deferred ?? { kind: 'operator' as const, promptRef: null };
  if (s.busy === 'archive') s.afterArchive = cause;
  else beginTurn(d, cause);
}

/** The preparation of the turn met the pause. */
export function metPause(d: Draft, reason: string): void {
  const { s } = d;
  if (s.closing !== null) return destroy(d);
  if (s.untriggered) return abandonTurn(d, 'untriggered');
  if (s.stopRequested === 'operator') return abandonTurn(d, 'paused');
  s.pauseReason = reason;
  holdBack(d);
}
