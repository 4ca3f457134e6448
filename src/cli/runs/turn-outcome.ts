import type { RunView } from '../../workflows/messages.js';
import { notFound } from '../base/errors.js';
import type { TurnOutcome } from '../base/orchestrator.js';

/** `undefined` while the run does not rest. */
export function outcomeOf(
  view: RunView | undefined,
  slug: string,
  turn: number,
  fetch: string | null,
): TurnOutcome | 'never_ran' | undefined {
  // No slug: the life is over. What its last turn gave is there until the next one begins.
  if (view === undefined || (view.slug !== null && view.slug !== slug)) {
    throw notFound(`${slug} has ended and its turn's result went with it`);
  }
  const { lastTurn, phase, detail, sessionId, prs } = view;
  if ((phase !== 'frozen' && phase !== 'destroyed') || view.turn < turn) return undefined;
  const about = { detail, sessionId, pr: prs.at(-1) ?? null, prs, fetch };
  if (lastTurn === null || lastTurn.turn < turn) {
    // A run that ended before its agent began has its reason in the timeline.
    if (view.reason === null) return 'never_ran';
    return { ...about, turn, exitCode: null, reason: view.reason, stopped: null, doneStatus: null };
  }
  // The one that followed was not run: why that is says how it ended.
  const reason = lastTurn.turn < view.turn ? (view.reason ?? lastTurn.reason) : lastTurn.reason;
  const isClosed = phase === 'destroyed' && lastTurn.stopped === 'closed' && lastTurn.doneStatus === null;
  return { ...about, ...lastTurn, reason: isClosed ? 'closed' : reason };
}
