/** The records that a run's state begins with: an issue's, a life's, a turn's and a stage's. */
import { NOTHING } from '../../domain/run/budget.js';
import type { Trigger, WakeReference } from '../../domain/run/events.js';
import type { SubjectRef } from '../../domain/forge/issue.js';
import type { RunPolicy } from '../../domain/run/run-policy.js';
import type { NamedRun } from '../../domain/run/slug.js';
import type { FrozenReason, TurnCause } from '../../domain/run/turn.js';
import type { IssueState, Life, Preparing, Turn } from './state.js';

export function initialState(
  subject: SubjectRef,
  policy: RunPolicy,
  named: NamedRun | null = null,
): IssueState {
  return {
    subject,
    policy,
    place: null,
    named,
    observedAt: 0,
    seen: [],
    endedAt: 0,
    lastTrigger: { actAt: 0, actId: 0 },
    pendingTrigger: null,
    pendingReferences: [],
    life: null,
  };
}

/** What the next execution begins with when a life has ended and a later trigger waits. */
export function betweenLives(ended: IssueState): IssueState {
  return { ...ended, life: null };
}

/** A life whose first turn is being prepared. */
export function newLife(slug: string, trigger: Trigger): Life {
  return {
    slug,
    trigger,
    host: null,
    epoch: 0,
    move: null,
    prs: trigger.pull === null ? [] : [{ number: trigger.pull, open: true, readAt: 0 }],
    closing: null,
    withheld: null,
    mailbox: { waiting: [], omitted: 0 },
    wakes: [],
    checkWakes: 0,
    nudges: 0,
    retries: 0,
    session: { id: null, left: null, turns: 0, tokens: 0 },
    budget: { spent: NOTHING, raised: NOTHING, dayLiftedUntil: 0 },
    work: { branch: null, head: null, pushed: null, stuckHash: null },
    answers: [],
    proposals: [],
    changes: [],
    lastTurn: null,
    limit: null,
    detail: null,
    timeline: [],
    turn: newTurn(1, { kind: 'first' }, null, []),
    stage: newStage(),
  };
}

export function newTurn(
  number: number,
  cause: TurnCause,
  wokenFrom: FrozenReason | null,
  taken: readonly WakeReference[],
): Turn {
  return {
    number,
    cause,
    wokenFrom,
    taken,
    given: [],
    resumed: false,
    done: null,
    stop: null,
    watchdogFired: false,
    extendedMs: 0,
    pauseReason: null,
    pauseLifted: false,
  };
}

/** Every turn begins so. */
export function newStage(): Preparing {
  return { kind: 'preparing', prepared: null, claimFailure: null, confirmed: false };
}
