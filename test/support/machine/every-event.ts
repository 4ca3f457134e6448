/** One event of each kind, as it would be of a run in that state. */
import type { MachineEvent, OperatorCommand, PrepareTurnOutcome } from '../../../src/domain/run/events.js';
import { DEFAULT_POLICY } from '../../../src/domain/run/run-policy.js';
import type { IssueState } from '../../../src/workflows/run/state.js';
import { ID, SHOWN } from './proposing.js';
import {
  comment,
  done,
  observed,
  PLACE,
  PREPARED,
  PUBLISHED,
  settledTurn,
  trigger,
  turnResult,
  wrote,
} from './world.js';

/** By kind, one of each: the compiler misses none. */
type OfEach<T extends { readonly kind: string }> = {
  readonly [K in T['kind']]: Omit<Extract<T, { kind: K }>, 'kind'>;
};

const OUTCOMES: OfEach<PrepareTurnOutcome> = {
  ready: { prepared: PREPARED },
  refused: { reason: 'r' },
  nothing_left: {},
  over_budget: { reason: 'r', until: 9_000_000 },
  paused: { reason: 'r' },
  moved: { place: PLACE },
};

const COMMANDS: OfEach<OperatorCommand> = {
  freeze: {},
  resume: { promptRef: null },
  destroy: {},
  extend: { ms: 1 },
  budget: { turns: 1, tokens: 1, microUsd: 1, dayEnds: null },
  done: { status: 'success' },
  move: {},
};

export function everyEvent({ life }: IssueState): readonly MachineEvent[] {
  const turn = life?.turn.number ?? 1;
  const slug = life?.slug ?? '';
  const id = life?.proposals.find(({ decision }) => decision === null)?.id ?? ID;
  const resumeAt = life?.stage.kind === 'frozen' ? life.stage.resumeAt : null;
  const events: OfEach<Exclude<MachineEvent, { kind: 'command' | 'prepare_ended' }>> = {
    observed: observed({ readAt: 50_000, trigger: trigger(50_000) }),
    references: wrote(comment(60_000)),
    unserved: { why: 'w' },
    lost: { readAt: 50_000, why: 'w' },
    turn_started: { slug, turn, at: 1 },
    turn_held_up: { slug, turn, reason: 'r' },
    signal_done: { slug, turn, done },
    paused: { reason: 'r' },
    unpaused: {},
    archive: { slug },
    settings: { policy: DEFAULT_POLICY },
    host_claimed: { host: 'h2' },
    host_silent: { turn, since: 1 },
    host_back: { turn },
    resume_due: { at: resumeAt ?? 1 },
    turn_lost: { turn, reason: null },
    turn_finished: { turn, result: turnResult() },
    settled: { turn, settled: settledTurn() },
    published: { requestId: 'r', result: PUBLISHED },
    proposed: { id: 'c'.repeat(32), tool: 'pipelock-block', ref: SHOWN, turn, at: 1 },
    decided: { id, status: 'approved', by: 'ann@desk', at: 1, ref: SHOWN, notesRef: null },
    change_applied: { id },
    change_failed: { id, reason: 'r' },
    build_failed: { id, reasonRef: 'r' },
    proposal_told: { id },
    watchdog_fired: { turn },
    checkin_age: { turn, ageMs: null },
    unread: { why: 'w' },
    archive_ended: { failure: null },
    destroyed: {},
    history_full: {},
    step_failed: { step: 'run', turn, reason: 'r' },
  };
  return [
    ...Object.entries(events).map(([kind, fields]) => ({ ...fields, kind }) as unknown as MachineEvent),
    { kind: 'archive_ended', failure: 'r' },
    ...Object.entries(OUTCOMES).map(([kind, fields]): MachineEvent => {
      const outcome = { ...fields, kind } as unknown as PrepareTurnOutcome;
      return { kind: 'prepare_ended', turn, outcome };
    }),
    ...Object.entries(COMMANDS).map(([kind, fields]): MachineEvent => {
      const command = { ...fields, kind } as unknown as OperatorCommand;
      return { kind: 'command', command, at: 1 };
    }),
  ];
}
