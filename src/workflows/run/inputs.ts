/** What activities are given, out of the machine's state. Pure. */
import type {
  ChangesInput,
  PrepareTurnInput,
  PublishInput,
  RecordStateInput,
  RecordTurnInput,
  RunRef,
  RunSnapshot,
  RunTurnInput,
  SettleTurnInput,
} from '../../activities/ports/inputs.js';
import { isLocal, workflowIdOf } from '../../domain/forge/issue.js';
import type { SessionStart, StopReason } from '../../domain/run/turn.js';
import { budgetOfTurn } from './budget.js';
import { latestPr, openPrs, shownPr } from './reads-of-forge.js';
import { phaseOf, reasonOf } from './phase.js';
import type { IssueState, Life, Running, Settling } from './state.js';

export function runRef(s: IssueState, life: Life): RunRef {
  const { owner, repo } = s.place ?? s.subject;
  const workflowId = workflowIdOf(s.subject);
  const repoId = isLocal(s.subject) ? null : (s.place?.repoId ?? null);
  const { source } = life.trigger.operator ?? {};
  const { slug, turn, epoch } = life;
  const ref = { workflowId, repoId, subject: { ...s.subject, owner, repo }, slug, turn: turn.number };
  return { ...ref, ...(source === undefined ? {} : { source }), ...(epoch === 0 ? {} : { epoch }) };
}

/** @param now epoch milliseconds */
export function prepareInput(s: IssueState, life: Life, now: number): PrepareTurnInput {
  const { trigger, turn, mailbox, limit, host, budget } = life;
  const refusal = untoldRefusal(life);
  return {
    ...runRef(s, life),
    ...movedInput(life),
    trigger,
    cause: turn.cause,
    references: turn.taken,
    omitted: mailbox.omitted,
    limit,
    ...(refusal === undefined ? {} : { refusal }),
    prNumber: openPrs(life)[0] ?? null,
    host,
    session: sessionStart(life),
    dayIsLifted: budget.dayLiftedUntil > now,
  };
}

function movedInput({ move }: Life): Pick<PrepareTurnInput, 'moved'> {
  return move === null ? {} : { moved: move.kept === true ? 'kept' : 'lost' };
}

/** Where what the turn is for does not say it anyway. */
function untoldRefusal({ refusal, turn: { cause } }: Life): string | undefined {
  const of = cause.kind === 'interrupted' ? cause.of : cause;
  return of.kind === 'nudge' && of.why === 'refused' && of.reason === refusal ? undefined : refusal;
}

function sessionStart({ session }: Life): SessionStart {
  return session.id === null ? (session.left ?? 'first') : 'resumed';
}

/** @param stop what the turn was to be stopped for while nobody watched it */
export function turnInput(
  s: IssueState,
  life: Life,
  { prepared, begun }: Running,
  stop: StopReason | null,
): RunTurnInput {
  const { turnTimeoutMs, doneGraceMs, budget } = s.policy;
  return {
    ...runRef(s, life),
    prepared,
    sessionId: life.session.id,
    prNumber: openPrs(life)[0] ?? null,
    head: life.work.head,
    turnTimeoutMs: Math.min(turnTimeoutMs, prepared.turnTimeoutMs ?? turnTimeoutMs),
    doneGraceMs,
    budget: budgetOfTurn(life.budget, budget, prepared),
    begun,
    goesOnWith: life.turn.cause.kind === 'interrupted' ? life.turn.cause.turn : null,
    stop,
    ...(life.changes.length === 0 ? {} : { changes: life.changes }),
    ...movedInput(life),
  };
}

export function settleInput(s: IssueState, life: Life, { prepared, result }: Settling): SettleTurnInput {
  return {
    ...runRef(s, life),
    result: { ...result, done: life.turn.done },
    prepared,
    triggerActor: life.trigger.actor,
    latestPr: latestPr(life),
    stuckHash: life.work.stuckHash,
    publish: life.closing === null && life.withheld === null,
  };
}

/** @param ref the change that is to take effect after those of the run; `null`: none is */
export function changesInput(s: IssueState, life: Life, ref: string | null): ChangesInput {
  return { ...runRef(s, life), changes: [...life.changes, ...(ref === null ? [] : [ref])] };
}

/** Of an `open_pr` of the agent that runs. */
export function publishInput(
  s: IssueState,
  life: Life,
  { prepared }: Running,
  request: Pick<PublishInput, 'requestId' | 'contentRef'>,
): PublishInput {
  const { requestId, contentRef } = request;
  const publisher = { prepared, triggerActor: life.trigger.actor, latestPr: latestPr(life) };
  return { ...runRef(s, life), requestId, contentRef, ...publisher, stuckHash: life.work.stuckHash };
}

export function recordTurn(
  s: IssueState,
  life: Life,
  turn: Pick<RecordTurnInput, 'result' | 'settled' | 'reason'>,
): RecordTurnInput {
  const { host, published } = life;
  const snapshot = { phase: 'frozen', reason: turn.reason, host, prNumber: shownPr(life) };
  return {
    ...runRef(s, life),
    ...turn,
    snapshot,
    watchdogFired: life.turn.watchdogFired,
    ...(published === undefined ? {} : { published }),
  };
}

export function recordState(s: IssueState, life: Life): RecordStateInput {
  const snapshot: RunSnapshot = {
    phase: phaseOf(s),
    reason: reasonOf(s),
    host: life.host,
    prNumber: shownPr(life),
  };
  return { ...runRef(s, life), snapshot };
}
