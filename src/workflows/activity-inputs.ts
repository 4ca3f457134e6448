/** What activities are given, out of the machine's state. Pure. */
import type { PrepareTurnInput, PublishInput, RunTurnInput, SettleTurnInput } from '../activities/inputs.js';
import type { StopReason, TurnResult } from '../domain/turn.js';
import { budgetOfTurn } from './machine-budget.js';
import { latestPr, openPrs } from './machine-forge.js';
import type { MachineCommand, MachineState } from './machine-state.js';
import { atMost } from './machine-turn.js';
import type { OpenPrRequest } from './messages.js';
import { needed, runRef } from './run-view.js';

/** @param now epoch milliseconds */
export function prepareInput(
  s: MachineState,
  command: Extract<MachineCommand, { kind: 'prepare_turn' }>,
  now: number,
): PrepareTurnInput {
  const { turn, cause, references, omitted, session } = command;
  return {
    ...runRef(s),
    turn,
    trigger: needed(s.life, 'life').trigger,
    cause,
    references,
    omitted,
    limit: s.limit,
    prNumber: openPrs(s)[0] ?? null,
    host: s.host,
    session,
    dayIsLifted: s.dayLiftedUntil > now,
  };
}

export function turnInput(s: MachineState, stop: StopReason | null, begun: boolean): RunTurnInput {
  const { doneGraceMs } = s.policy;
  const prepared = needed(s.prepared, 'prepared turn');
  const turnTimeoutMs = atMost(s.policy.turnTimeoutMs, prepared.turnTimeoutMs);
  const { sessionId, head } = s;
  return {
    ...runRef(s),
    prepared,
    sessionId,
    prNumber: openPrs(s)[0] ?? null,
    head,
    turnTimeoutMs,
    doneGraceMs,
    budget: budgetOfTurn(s),
    begun,
    stop,
  };
}

export function settleInput(s: MachineState, result: TurnResult): SettleTurnInput {
  return {
    ...runRef(s),
    result: { ...result, done: s.done },
    prepared: needed(s.prepared, 'prepared turn'),
    triggerActor: needed(s.life, 'life').trigger.actor,
    latestPr: latestPr(s),
    stuckHash: s.stuckHash,
    publish: s.closing === null && !s.untriggered,
  };
}

export function publishInput(s: MachineState, { requestId, contentRef }: OpenPrRequest): PublishInput {
  const prepared = needed(s.prepared, 'prepared turn');
  const triggerActor = needed(s.life, 'life').trigger.actor;
  const publisher = { prepared, triggerActor, latestPr: latestPr(s) };
  return { ...runRef(s), requestId, contentRef, ...publisher };
}
