/** When the agent's session is left for a fresh one, which gets a summary of what went before. */
import type { SessionStart, TurnCause, TurnResult } from '../domain/turn.js';
import { note, type Draft } from './machine-draft.js';
import { putBack } from './machine-mailbox.js';
import type { MachineState } from './machine-state.js';

export function sessionStart({ sessionId, sessionEnd }: MachineState): SessionStart {
  return sessionId === null ? (sessionEnd ?? 'first') : 'resumed';
}

/** Before a turn: a session that has grown too long is left. A nudge speaks of what the session has just done. */
export function rotate(d: Draft, cause: TurnCause): void {
  const { s } = d;
  if (s.sessionId === null || cause.kind === 'nudge') return;
  const { turns, tokens } = s.policy.session;
  if (s.session.turns < turns && s.session.tokens < tokens) return;
  leave(d, 'rotated');
  note(d, `a fresh session: the last one had ${String(s.session.turns)} turns`);
}

/** Why the turn came to nothing by its session, which another turn in a fresh one would cure; else `null`. */
export function sessionFailure(s: MachineState, result: TurnResult): 'lost' | 'rotated' | null {
  if (!s.resumed || s.done !== null || result.stopped !== null || s.stopRequested !== null) return null;
  switch (result.agent.outcome) {
    case 'unknown_session':
      return 'lost';
    case 'context_full':
      return 'rotated';
    default:
      return null;
  }
}

/** Nobody has read what the turn's prompt said: it goes into the next one's. */
export function startAfresh(d: Draft, why: 'lost' | 'rotated'): void {
  const { s } = d;
  leave(d, why);
  note(
    d,
    why === 'lost'
      ? 'the agent no longer knows its session: a fresh one, with a summary'
      : 'the session is too long for its model: a fresh one, with a summary',
  );
  s.mailbox = putBack(s.given, s.mailbox);
}

function leave({ s }: Draft, why: 'lost' | 'rotated'): void {
  s.sessionId = null;
  s.sessionEnd = why;
}
