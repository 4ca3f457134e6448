/** The state of a run as the machine keeps it: plain data, because continue-as-new carries it. */
import { NOTHING, type Amounts } from '../domain/budget.js';
import type { PreparedTurn, SettledTurn, Trigger, WakeReference } from '../domain/events.js';
import type { Place, SubjectRef } from '../domain/issue.js';
import type { OperatorCommandRow } from '../domain/rows.js';
import type { ActOrder } from '../domain/trigger.js';
import type { NamedRun } from '../domain/slug.js';
import type {
  Done,
  FrozenReason,
  LimitHit,
  PublishResult,
  SessionStart,
  StopReason,
  TurnCause,
  TurnResult,
} from '../domain/turn.js';
import type { RunPolicy } from '../domain/run-policy.js';

export type Phase =
  | 'idle'
  | 'queued'
  | 'launching'
  | 'running'
  | 'freezing'
  | 'frozen'
  | 'rehydrating'
  | 'destroying'
  | 'destroyed';

/** One life of the issue: from launch to destroy. */
export interface Life {
  readonly slug: string;
  readonly trigger: Trigger;
  readonly startedAt: number;
}

export interface KnownPr {
  readonly number: number;
  readonly open: boolean;
  readonly readAt: number;
}

export interface LastTurn {
  readonly turn: number;
  readonly exitCode: number;
  readonly doneStatus: Done['status'] | null;
  readonly reason: FrozenReason;
  /** Why the orchestrator ended it, if it did: then the exit code is no word of the agent's. */
  readonly stopped: StopReason | null;
}

export interface TimelineEntry {
  /** Epoch milliseconds, workflow time. */
  readonly at: number;
  readonly turn: number;
  readonly what: string;
}

export interface MachineState {
  /** As it was called when the workflow began: its id. */
  readonly subject: SubjectRef;
  /** Where the repository is now; `null` until the forge was read. */
  place: Place | null;
  readonly policy: RunPolicy;
  phase: Phase;
  life: Life | null;
  /** The name that whoever started the workflow gave to its first life. */
  named: NamedRun | null;
  host: string | null;
  /** Why no host could be claimed; the next turn tries again. */
  claimFailure: string | null;
  turn: number;
  cause: TurnCause;
  /** The turn's agent was seen to start: whatever is lost, it is not started again. */
  begun: boolean;
  /** The activity in flight; at most one of these at a time is what makes "no second bottle" true. */
  busy: 'prepare' | 'run' | 'settle' | 'archive' | 'destroy' | null;
  /** The turn an operator asked for while the containers were being put away. Absent in what older versions carried. */
  afterArchive?: TurnCause | null;
  prepared: PreparedTurn | null;
  result: TurnResult | null;
  done: Done | null;
  /** Set by the operator's `done`: the turn is ended, and counts as done. */
  stopRequested: StopReason | null;
  frozenReason: FrozenReason | null;
  /** For people: why a step failed or was refused. */
  detail: string | null;
  watchdogFired: boolean;
  /** Added to the watchdog's patience in this turn by the operator, milliseconds. */
  extendedMs: number;
  nudgesUsed: number;
  /** References waiting for the next prompt, and those that the current turn's prompt is being made of. */
  mailbox: readonly WakeReference[];
  taken: readonly WakeReference[];
  /** What the prompt of the turn that runs was made of: should nobody read it, the next one tells it again. */
  given: readonly WakeReference[];
  /** References that found no room in the mailbox since the last prompt. */
  omitted: number;
  /** Why the run was frozen before the turn that is being prepared. */
  wokenFrom: FrozenReason | null;
  /** Keys of every reference ever taken in, newest last, bounded. */
  seen: readonly string[];
  /** Times of the wakes of the last hour, epoch milliseconds. */
  wakes: readonly number[];
  observedAt: number;
  prs: readonly KnownPr[];
  /** The run is to end, and when the forge says it was closed. */
  closing: { readonly at: number; readonly why: string } | null;
  untriggered: boolean;
  /** The forge was seen to ask for this run since the turn began to be prepared: a refusal may be of an older read. */
  confirmed: boolean;
  /** A trigger later than the close, which starts the next life. */
  pendingTrigger: Trigger | null;
  /** When the last life ended, the forge's clock. */
  endedAt: number;
  /** The latest trigger act that was taken up: only a later one begins anything. */
  lastTrigger: ActOrder;
  sessionId: string | null;
  /** Why the last session was left; `null` while there was none before. */
  sessionEnd: 'rotated' | 'lost' | null;
  /** What the session holds. */
  session: { readonly turns: number; readonly tokens: number };
  /** The turn that runs goes on with a session. */
  resumed: boolean;
  /** What the turns of this life have used, as metered, and what the operator has added to the budget. */
  spent: Amounts;
  raised: Amounts;
  /** Until then the day's budget does not hold this run up, epoch milliseconds. */
  dayLiftedUntil: number;
  /** What the turn is for that waits for its budget. */
  deferred: TurnCause | null;
  /** Frozen as `paused` because new turns are, with the turn that waits in `deferred`. Absent in what older versions carried. */
  held?: boolean;
  /** For people: by whom it is paused, and what ends that. */
  pauseReason?: string | null;
  /** The pause was lifted since the turn began to be prepared, or since the last word of one. */
  lifted?: boolean;
  /** When a frozen run goes on by itself, epoch milliseconds. */
  resumeAt: number | null;
  /** How often in a row the run was held up by an overloaded provider. */
  retries: number;
  /** Head of the run's branch in the workspace after the last turn. */
  head: string | null;
  stuckHash: string | null;
  answers: readonly { readonly requestId: string; readonly result: PublishResult }[];
  lastTurn: LastTurn | null;
  /** What the last turn ran into: the next prompt says it. */
  limit: LimitHit | null;
  timeline: readonly TimelineEntry[];
}

/** A command of an operator that was accepted. */
export type OperatorAct = Pick<OperatorCommandRow, 'at' | 'who' | 'kind' | 'detail' | 'slug'>;

export const EMPTY_SESSION = { turns: 0, tokens: 0 } as const;

export function initialState(
  subject: SubjectRef,
  policy: RunPolicy,
  named: NamedRun | null = null,
): MachineState {
  return {
    subject,
    place: null,
    policy,
    phase: 'idle',
    named,
    life: null,
    host: null,
    claimFailure: null,
    turn: 0,
    cause: { kind: 'first' },
    begun: false,
    busy: null,
    prepared: null,
    result: null,
    done: null,
    stopRequested: null,
    frozenReason: null,
    detail: null,
    watchdogFired: false,
    extendedMs: 0,
    nudgesUsed: 0,
    mailbox: [],
    taken: [],
    given: [],
    omitted: 0,
    wokenFrom: null,
    seen: [],
    wakes: [],
    observedAt: 0,
    prs: [],
    closing: null,
    untriggered: false,
    confirmed: false,
    pendingTrigger: null,
    endedAt: 0,
    lastTrigger: { actAt: 0, actId: 0 },
    sessionId: null,
    sessionEnd: null,
    session: EMPTY_SESSION,
    resumed: false,
    spent: NOTHING,
    raised: NOTHING,
    dayLiftedUntil: 0,
    deferred: null,
    held: false,
    pauseReason: null,
    lifted: false,
    resumeAt: null,
    retries: 0,
    head: null,
    stuckHash: null,
    answers: [],
    lastTurn: null,
    limit: null,
    timeline: [],
  };
}

/** What a fresh life of the same issue keeps from the one that ended. */
export function nextLife(ended: MachineState): MachineState {
  const { endedAt, observedAt, seen, pendingTrigger, place, lastTrigger } = ended;
  return {
    ...initialState(ended.subject, ended.policy),
    endedAt,
    observedAt,
    seen,
    pendingTrigger,
    place,
    lastTrigger,
  };
}

/** What the machine wants done; the workflow does it and feeds what comes of it back in. */
export type MachineCommand =
  | { readonly kind: 'claim_host' }
  | {
      readonly kind: 'prepare_turn';
      readonly turn: number;
      readonly cause: TurnCause;
      readonly references: readonly WakeReference[];
      /** Older ones that found no room. */
      readonly omitted: number;
      readonly session: SessionStart;
    }
  | { readonly kind: 'run_turn'; readonly turn: number }
  | {
      readonly kind: 'attach_turn';
      readonly turn: number;
      readonly stop: StopReason | null;
      readonly begun: boolean;
    }
  | { readonly kind: 'stop_turn'; readonly reason: StopReason }
  /** The run is to end: what is under way is called off, and is not waited for without end. */
  | { readonly kind: 'end_step' }
  | { readonly kind: 'settle_turn'; readonly turn: number; readonly result: TurnResult }
  | { readonly kind: 'arm_watchdog'; readonly turn: number; readonly ms: number }
  | { readonly kind: 'disarm_watchdog' }
  | { readonly kind: 'arm_resume'; readonly at: number }
  | { readonly kind: 'disarm_resume' }
  | { readonly kind: 'ask_checkin'; readonly turn: number }
  /** Rows of a finished turn and the frozen (or going on) state of the run. */
  | {
      readonly kind: 'record_turn';
      readonly turn: number;
      readonly result: TurnResult;
      readonly settled: SettledTurn;
      readonly reason: FrozenReason;
    }
  | { readonly kind: 'record_state' }
  /** What an operator did, for its row. */
  | { readonly kind: 'record_command'; readonly act: OperatorAct }
  /** The people on the forge see that the run waits for somebody. Nothing comes of it. */
  | { readonly kind: 'tell_frozen'; readonly reason: FrozenReason }
  | { readonly kind: 'archive'; readonly slug: string }
  | { readonly kind: 'destroy'; readonly slug: string }
  | { readonly kind: 'record_end'; readonly slug: string; readonly endedAt: number };
