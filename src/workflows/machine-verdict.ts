/** What a finished turn amounts to: why the run freezes, whether the agent is nudged, what wakes it. Pure. */
import type { SettledTurn } from '../domain/events.js';
import type { FrozenReason, TurnCause, TurnResult } from '../domain/turn.js';
import { isLocal } from '../domain/issue.js';
import { holdUpOf, mayRetry } from './machine-limit.js';
import type { MachineState } from './machine-state.js';

export function reasonOf(s: MachineState, result: TurnResult, left: SettledTurn): FrozenReason {
  if (typeof result.setAside === 'string') return 'failed';
  if (left.stuck) return 'stuck';
  // A `signal_done` that was queued counts, whatever ended the process afterwards.
  if (s.done !== null) return s.done.status === 'success' ? 'done' : s.done.status;
  const stopped = result.stopped ?? s.stopRequested;
  if (result.model?.trouble?.kind === 'over_budget') return 'budget';
  const heldUp = holdUpOf(s, result);
  if (heldUp === 'limited' || (heldUp === 'overloaded' && mayRetry(s))) return 'limited';
  if (heldUp === 'overloaded') return 'failed';
  switch (stopped) {
    case 'watchdog':
    case 'timeout':
    case 'sidecar_died':
    case 'queue_flood':
    case 'disk':
    case 'budget':
    case 'history':
      return stopped;
    case 'operator':
    case 'pause':
      return 'paused';
    case 'untriggered':
      return 'untriggered';
    case 'closed':
      return 'incomplete';
    case null:
      return isDoneUnsaid(s, result) ? 'done' : 'incomplete';
  }
}

/** In a run without an issue there is no `signal_done`, and nobody taught the agent to say it [S0]. */
function isDoneUnsaid(s: MachineState, { exitCode, agent }: TurnResult): boolean {
  return isLocal(s.subject) && exitCode === 0 && agent.outcome === 'finished';
}

/** For people: what the agent's CLI ended with, where that explains why the turn is not done. */
export function detailOf(s: MachineState, { agent }: TurnResult): string | null {
  if (s.done !== null) return null;
  return {
    finished: null,
    stopped: null,
    unknown_session: 'the agent does not know its session',
    context_full: 'the session is too long for its model',
    provider: 'the model’s provider refused or failed',
    not_understood: 'the agent printed no events: its log says what it did',
    cut: 'the agent’s output ended in the middle',
    empty: 'the agent printed nothing',
    crashed: 'the agent crashed',
    failed: 'the agent says that it failed',
  }[agent.outcome];
}

/** One more turn for an agent that exited cleanly but left something undone; never after an error [S0]. */
export function nudgeFor(
  s: MachineState,
  result: TurnResult,
  left: SettledTurn,
  reason: FrozenReason,
): TurnCause | null {
  if (
    s.nudgesUsed >= s.policy.nudges ||
    result.exitCode !== 0 ||
    result.agent.outcome !== 'finished' ||
    result.stopped !== null ||
    s.stopRequested !== null
  )
    return null;
  if (reason === 'incomplete') return { kind: 'nudge', why: 'not_done' };
  if (reason !== 'done') return null;
  if (left.publish.kind === 'refused') return { kind: 'nudge', why: 'refused', reason: left.publish.reason };
  if (left.uncommittedRef !== null)
    return { kind: 'nudge', why: 'uncommitted', pathsRef: left.uncommittedRef };
  return null;
}

const QUEUES: ReadonlySet<FrozenReason> = new Set(['paused', 'untriggered', 'budget', 'limited']);

/** Whether comments, reviews and pushes wake a run that is frozen for this reason. */
export function wakesOn(reason: FrozenReason | null): boolean {
  return reason !== null && !QUEUES.has(reason);
}

const TOLD: ReadonlySet<FrozenReason> = new Set(['failed', 'blocked', 'budget']);

/** Whether whoever assigned the issue sees on the forge that the run froze: it waits for somebody to do something. */
export function isToldOnForge(reason: FrozenReason | null): boolean {
  return reason !== null && TOLD.has(reason);
}
