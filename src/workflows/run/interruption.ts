/** An agent that was ended from outside, and by nobody of ours: the machine's doing. Pure. */
import type { AgentOutcome } from '../../domain/agent/agent-stream.js';
import { CONTAINER_GONE, type TurnCause, type TurnResult } from '../../domain/run/turn.js';
import { note, type LifeDraft } from './draft.js';
import { tellOnceMore } from './mailbox.js';
import type { Life } from './state.js';

/** Of an agent that was told to end, as by an engine that stops, or that an engine found ended when it came back. */
const ENDED_BY_ENGINE = [143, 255];
const UNFINISHED: readonly AgentOutcome[] = ['crashed', 'cut', 'empty', 'not_understood'];

/** What happened, for people; `null` when the agent ended by itself, or we ended it, or it had too little memory. */
export function interruptionOf({ turn }: Pick<Life, 'turn'>, result: TurnResult): string | null {
  if (turn.done !== null || (result.stopped ?? turn.stop) !== null) return null;
  const how = endOf(result);
  if (how === null) return null;
  return `the machine ended the agent${isGoingOn(turn.cause) ? ' again' : ''}: ${how}`;
}

function endOf({ exitCode, agent, limit }: TurnResult): string | null {
  if (exitCode === CONTAINER_GONE) return 'its container is gone';
  if (limit?.kind === 'memory') return null;
  if (exitCode === 137) return 'it was killed';
  // Numbers that a program may choose for itself, and then it says why.
  if (!ENDED_BY_ENGINE.includes(exitCode) || !UNFINISHED.includes(agent.outcome)) return null;
  return `the engine stopped or was restarted (exit code ${String(exitCode)})`;
}

/** What goes on with the turn; `null` when that was interrupted already: then a person has to look. */
export function continuationOf({ cause, number }: Life['turn']): TurnCause | null {
  return isGoingOn(cause) ? null : { kind: 'interrupted', of: cause, turn: number };
}

/** What the turn was told, the agent may not have got to read. */
export function goOn(d: LifeDraft, why: string): void {
  note(d, `${why}; it goes on`);
  tellOnceMore(d.life);
}

function isGoingOn(cause: TurnCause): cause is Extract<TurnCause, { kind: 'interrupted' }> {
  return cause.kind === 'interrupted';
}
