/**
 * What a workflow knows of its issue, by how long it counts: the issue for ever, a life from launch to destroy, a turn for
 * one prompt, a stage for what is under way. A new life or turn replaces one record. Plain data: continue-as-new carries it.
 */
import type { Amounts } from '../../domain/run/budget.js';
import type { Observed, ObservedPr, PreparedTurn, Trigger, WakeReference } from '../../domain/run/events.js';
import type { Place, SubjectRef } from '../../domain/forge/issue.js';
import type { RunPolicy } from '../../domain/run/run-policy.js';
import type { NamedRun } from '../../domain/run/slug.js';
import type { ActOrder } from '../../domain/forge/trigger.js';
import type { DecisionStatus, ProposalTool } from '../../domain/supervise/proposal.js';
import type {
  Done,
  FrozenReason,
  LimitHit,
  PublishedWork,
  PublishResult,
  StopReason,
  TurnCause,
  TurnResult,
  Withheld,
} from '../../domain/run/turn.js';

export interface IssueState {
  /** As it was called when the workflow began: its id. */
  readonly subject: SubjectRef;
  /** The operator's settings: as they were when the workflow began, until a worker says that they have changed. */
  policy: RunPolicy;
  /** Where the repository is now; `null` until the forge was read. */
  place: Place | null;
  /** The name that whoever started the workflow gave to its first life. */
  named: NamedRun | null;
  /** When the forge was read for what is known of the subject. */
  observedAt: number;
  /** How far the forge's clock was ahead of ours then; absent while nothing shows that they differ. */
  forgeAheadMs?: number;
  /** Keys of every reference ever taken in, newest last, bounded. */
  seen: readonly string[];
  /** When the last life ended, the forge's clock. */
  endedAt: number;
  /** The latest trigger act that was taken up: only a later one begins anything. */
  lastTrigger: ActOrder;
  /** A trigger later than the close, which starts the next life. */
  pendingTrigger: Trigger | null;
  /** What people wrote since then, for the next life. */
  pendingReferences: readonly WakeReference[];
  /** `null` before the first trigger; a life that has ended stays to be read. */
  life: Life | null;
}

/** One life of the issue: from launch to destroy. */
export interface Life {
  readonly slug: string;
  trigger: Trigger;
  /** Claimed once a life, and again after each move. */
  host: string | null;
  /** How often it was moved: what a host of an earlier epoch still does counts for nothing. */
  epoch: number;
  /** The move that its agent has not been told of yet. */
  move: Move | null;
  prs: readonly KnownPr[];
  /** The latest few that were seen closed and are not known to be its own: that one is may be heard of later. */
  closedPrs?: readonly (ObservedPr & Pick<Observed, 'readAt'>)[];
  /** The run is to end, and when the forge says it was closed. */
  closing: Closing | null;
  withheld: Withheld | null;
  mailbox: Mailbox;
  /** Times of the wakes of the last hour, epoch milliseconds. */
  wakes: readonly number[];
  /** Wakes by failed checks alone since a person last woke the run. One above the limit: people were told that checks no longer wake it. */
  checkWakes: number;
  /** Nudges since somebody last woke it. */
  nudges: number;
  /** How often in a row the run was held up by an overloaded provider. */
  retries: number;
  session: Session;
  budget: Budget;
  work: Work;
  /** Of the latest `open_pr`s, for who asks again. */
  answers: readonly { readonly requestId: string; readonly result: PublishResult }[];
  /** What its agent proposed [S2], oldest first. */
  proposals: readonly RunProposal[];
  /** What operators agreed to, in order: blobs of `ShownProposal`s. */
  changes: readonly string[];
  lastTurn: LastTurn | null;
  /** What the last turn ran into: the next prompt says it. */
  limit: LimitHit | null;
  /** By `open_pr`, since a turn last had its row. Fewer than the Updates that the server lets an execution have. */
  published?: readonly PublishedWork[];
  /** Why the publish gate refused the last work, in its own short words, until the agent was told: the next prompt says it. */
  refusal?: string;
  /** For people: why a step failed or was refused. */
  detail: string | null;
  timeline: readonly TimelineEntry[];
  /** The one under way, or the last. */
  turn: Turn;
  stage: Stage;
}

export interface Move {
  /** The host that was left. */
  readonly from: string;
  /** The turn whose end was the run's last frozen state; 0: none has ended. */
  readonly last: number;
  /** Whether the new host has that state; `null` while none has been claimed. */
  readonly kept: boolean | null;
}

export interface RunProposal {
  readonly id: string;
  readonly tool: ProposalTool;
  /** Blob of the `ShownProposal`, which a decision must name. */
  readonly ref: string;
  /** In which it was last held: once in each, however often it is sent. */
  readonly turn: number;
  /** Until then its agent waits for the answer, unless the turn ends; epoch milliseconds. */
  readonly heldUntil: number;
  /** `null` while it waits for an operator. */
  readonly decision: ProposalDecision | null;
  /** The decision is taking effect in the bottle that runs, and stands when that has worked. */
  readonly isApplied: boolean;
  /** It waits for another decision that is taking effect, and has its turn after it. */
  readonly isQueued?: boolean;
  /** The bottle that runs was told of it, if only by a try that failed: else it takes effect in the next turn. */
  readonly isSent?: boolean;
  /** Of an image that is being built: how many changes of the run are in it beside its own. */
  readonly builtOn?: number;
  /** The agent has heard of it. */
  readonly told: boolean;
  /** A host that was refused: nobody asked, nobody waits. */
  readonly isOffer?: true;
}

export interface ProposalDecision {
  readonly status: DecisionStatus;
  readonly by: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Blob of the `ShownProposal` that takes effect; `null`: nothing does. */
  readonly ref: string | null;
  readonly notesRef: string | null;
}

export interface KnownPr {
  readonly number: number;
  readonly open: boolean;
  readonly readAt: number;
}

export interface Closing {
  readonly at: number;
  readonly why: string;
}

export interface Mailbox {
  /** References for the next prompt. */
  readonly waiting: readonly WakeReference[];
  /** How many found no room since the last prompt. */
  readonly omitted: number;
}

/** Of the agent's CLI, over turns. */
export interface Session {
  readonly id: string | null;
  /** Why the last session was left; `null` while there was none before. */
  readonly left: 'rotated' | 'lost' | null;
  /** What it holds. */
  readonly turns: number;
  readonly tokens: number;
}

export interface Budget {
  /** As metered. */
  readonly spent: Amounts;
  /** What the operator has added. */
  readonly raised: Amounts;
  /** Until then the day's budget does not hold this run up, epoch milliseconds. */
  readonly dayLiftedUntil: number;
}

/** In the workspace, after the last turn. */
export interface Work {
  readonly branch: string | null;
  readonly head: string | null;
  /** What the publish gate last pushed, which what the workspace holds need not be. */
  readonly pushed: string | null;
  readonly stuckHash: string | null;
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

/** One prompt in, one exit out. */
export interface Turn {
  readonly number: number;
  readonly cause: TurnCause;
  /** Why the run was frozen before it. */
  readonly wokenFrom: FrozenReason | null;
  /** What the prompt is being made of. Kept as such where the turn is stopped before its agent is seen to start. */
  taken: readonly WakeReference[];
  /** What the prompt was made of: should nobody have read it, the next one tells it again. */
  given: readonly WakeReference[];
  /** It goes on with a session. */
  resumed: boolean;
  /** Set by the operator's `done`, too: the turn is ended, and counts as done. */
  done: Done | null;
  stop: StopReason | null;
  watchdogFired: boolean;
  /** Added to the watchdog's patience by the operator, milliseconds. */
  extendedMs: number;
  /** For people: by whom new turns are paused, and what ends that. */
  pauseReason: string | null;
  /** The pause was lifted since the turn began to be prepared, or since the last word of one. */
  pauseLifted: boolean;
}

/** What is under way: one thing at a time, which is what makes "no second bottle" true. */
export type Stage = Preparing | Running | Settling | Frozen | Destroying | Destroyed;

/** The prompt is being made, and a host claimed where there is none yet. */
export interface Preparing {
  readonly kind: 'preparing';
  prepared: PreparedTurn | null;
  /** Why no host could be claimed; the next turn tries again. */
  claimFailure: string | null;
  /** The forge was seen to ask for this run since then: a refusal may be of an older read. */
  confirmed: boolean;
}

/** The agent's container is started and watched until it exits. */
export interface Running {
  readonly kind: 'running';
  readonly host: string;
  readonly prepared: PreparedTurn;
  /** Its agent was seen to start, and nothing had stopped the turn yet: whatever is lost, it is not started again. */
  begun: boolean;
  /** Since when nobody on the host takes what is asked, epoch milliseconds. */
  silentSince: number | null;
}

/** What the turn left is collected and published. */
export interface Settling {
  readonly kind: 'settling';
  readonly host: string;
  readonly prepared: PreparedTurn;
  /** As in `Running`. */
  readonly begun: boolean;
  readonly result: TurnResult;
  /** Nothing of it is published: the run was to have no turn when it ended. */
  unpublished?: true;
  /** As in `Running`. */
  silentSince: number | null;
}

/** Nothing runs. */
export interface Frozen {
  readonly kind: 'frozen';
  readonly reason: FrozenReason;
  /** When it goes on by itself, epoch milliseconds. */
  resumeAt: number | null;
  /** The turn that waits for its budget, its provider or the end of a pause. */
  deferred: Deferred | null;
  /** Because new turns are paused. */
  held: boolean;
  /** Of a run that may have no turn: it was paused, which it is again when only its repository was out of sight, and why. */
  readonly paused?: { readonly detail: string | null };
  /** Its containers are being put away. */
  archiving: boolean;
  /** The turn that was asked for meanwhile. */
  afterArchive: TurnCause | null;
}

export interface Deferred {
  readonly cause: TurnCause;
  readonly wokenFrom: FrozenReason | null;
}

export interface Destroying {
  readonly kind: 'destroying';
}

export interface Destroyed {
  readonly kind: 'destroyed';
}
