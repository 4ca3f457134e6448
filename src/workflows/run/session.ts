/** When the agent's session is left for a fresh one, which gets a summary of what went before. */
import type { RunPolicy } from '../../domain/run/run-policy.js';
import type { TurnCause, TurnResult } from '../../domain/run/turn.js';
import { note, type LifeDraft } from './draft.js';
import { tellOnceMore } from './mailbox.js';
import type { Life } from './state.js';

/** Before a turn: a session that has grown too long is left. A nudge speaks of what the session has just done. */
export function rotate(d: LifeDraft, cause: TurnCause, most: RunPolicy['session']): void {
  const { session } = d.life;
  if (session.id === null || cause.kind === 'nudge') return;
  if (session.turns < most.turns && session.tokens < most.tokens) return;
  leave(d.life, 'rotated');
  note(d, `a fresh session: the last one had ${String(session.turns)} turns`);
}

/** Why the turn came to nothing by its session, which another turn in a fresh one would cure; else `null`. */
export function sessionFailure({ turn }: Life, result: TurnResult): 'lost' | 'rotated' | null {
  if (!turn.resumed || turn.done !== null || result.stopped !== null || turn.stop !== null) return null;
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
export function startAfresh(d: LifeDraft, why: 'lost' | 'rotated'): void {
  const { life } = d;
  leave(life, why);
  note(
    d,
    why === 'lost'
      ? 'the agent no longer knows its session: a fresh one, with a summary'
      : 'the session is too long for its model: a fresh one, with a summary',
  );
  tellOnceMore(life);
}

export function leave(life: Life, why: 'lost' | 'rotated'): void {
  life.session = { ...life.session, id: null, left: why };
}
