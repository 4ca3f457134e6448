/** What a finished turn amounts to: why the run freezes, whether the agent is nudged. Pure. */
import type { SettledTurn } from '../../domain/run/events.js';
import { isLocal } from '../../domain/forge/issue.js';
import { OUTCOME_TEXTS, whyNotStarted } from '../../domain/run/outcome-texts.js';
import type { FrozenReason, TurnCause, TurnResult } from '../../domain/run/turn.js';
import { interruptionOf } from './interruption.js';
import { holdUpOf, mayRetry, troubleTold } from './provider-limit.js';
import { isFrozenByOperator } from './phase.js';
import type { IssueState, Life } from './state.js';
import { asked } from './supervise/proposals-read.js';

export function verdictOf(s: IssueState, life: Life, result: TurnResult, left: SettledTurn): FrozenReason {
  const { turn } = life;
  // What was published is another matter.
  if (isFrozenByOperator(turn)) return 'paused';
  if (result.setAside !== null) return 'failed';
  if (left.stuck) return 'stuck';
  // A `signal_done` that was queued counts, whatever ended the process afterwards.
  if (turn.done !== null) return turn.done.status === 'success' ? 'done' : turn.done.status;
  const stopped = result.stopped ?? turn.stop;
  // It goes on by itself where there is some left: not against the operator's word.
  if (result.model?.trouble?.kind === 'over_budget' || stopped === 'budget')
    return turn.stop === 'pause' ? 'paused' : 'budget';
  const heldUp = holdUpOf(life, result);
  if (heldUp === 'limited' || (heldUp === 'overloaded' && mayRetry(life))) return 'limited';
  if (heldUp !== null) return 'failed';
  switch (stopped) {
    case 'watchdog':
    case 'timeout':
    case 'sidecar_died':
    case 'queue_flood':
    case 'disk':
    case 'history':
      return stopped;
    case 'operator':
    case 'pause':
      return 'paused';
    case 'untriggered':
    case 'unserved':
      return stopped;
    case 'closed':
    // It goes on in its new image.
    case 'rebuilt':
      return 'incomplete';
    case null:
      return isDoneUnsaid(s, result) ? 'done' : 'incomplete';
  }
}

/** In a run without an issue there is no `signal_done`, and nobody taught the agent to say it [S0]. */
function isDoneUnsaid(s: IssueState, { exitCode, agent }: TurnResult): boolean {
  return isLocal(s.subject) && exitCode === 0 && agent.outcome === 'finished';
}

/** For people: what stands most in the way of the turn being done. */
export function detailOf(life: Life, result: TurnResult, { publish }: SettledTurn): string | null {
  const { turn, limit } = life;
  const { agent, exitCode, setAside } = result;
  if (setAside !== null) return setAside;
  const notStarted = whyNotStarted(agent, exitCode);
  if (notStarted !== null) return notStarted;
  if (publish.kind === 'refused') return publish.reason;
  if (turn.done !== null) return null;
  return (
    limit?.detail ?? interruptionOf(life, result) ?? troubleTold(life, result) ?? OUTCOME_TEXTS[agent.outcome]
  );
}

/** One more turn for an agent that exited cleanly but left something undone; never after an error [S0]. */
export function nudgeFor(
  { policy }: IssueState,
  life: Life,
  result: TurnResult,
  left: SettledTurn,
  reason: FrozenReason,
): TurnCause | null {
  const { nudges, turn } = life;
  if (
    nudges >= policy.nudges ||
    result.exitCode !== 0 ||
    result.agent.outcome !== 'finished' ||
    result.stopped !== null ||
    turn.stop !== null
  )
    return null;
  // One that waits for the operator was told that it may end its turn: the decision wakes it.
  const paths = left.uncommittedRef === null ? null : { pathsRef: left.uncommittedRef };
  if (reason === 'incomplete')
    return asked(life).length > 0 ? null : { kind: 'nudge', why: 'not_done', ...paths };
  if (reason !== 'done') return null;
  if (left.publish.kind === 'refused') return { kind: 'nudge', why: 'refused', reason: left.publish.reason };
  return paths === null ? null : { kind: 'nudge', why: 'uncommitted', ...paths };
}
