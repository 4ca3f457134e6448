/** Arguments of the activities: references and small records, because they stand in the workflow's history. */
import type { PreparedTurn, SettledTurn, Trigger, WakeReference } from '../../domain/run/events.js';
import type { RepoRef, SubjectRef } from '../../domain/forge/issue.js';
import type { ModelBudget } from '../../domain/run/model-use.js';
import type { ProposalDecisionRow, ProposalRow } from '../../domain/run/rows.js';
import type { ProposalTool } from '../../domain/supervise/proposal.js';
import type { PauseRow } from '../../domain/run/pause.js';
import type {
  FrozenReason,
  LimitHit,
  PublishedWork,
  SessionStart,
  StopReason,
  TurnCause,
  TurnResult,
} from '../../domain/run/turn.js';

/** What names a run wherever it is worked on. */
export interface RunRef {
  /** The workflow's id, which keeps the name the repository had when the run began. */
  readonly workflowId: string;
  /** The forge's id of the repository; `null` while it was never read. */
  readonly repoId: number | null;
  /** Where the issue is now, as far as the workflow knows. */
  readonly subject: SubjectRef;
  readonly slug: string;
  readonly turn: number;
  /** Of a run without an issue: where its commits come from. */
  readonly source?: RepoRef;
  /** How often the run was moved to another host when this was asked; absent: never. */
  readonly epoch?: number;
}

/** The repository that a run's commits come from. */
export function repositoryOf({ subject, source }: Pick<RunRef, 'subject' | 'source'>): RepoRef {
  return source ?? subject;
}

export interface PrepareTurnInput extends RunRef {
  readonly trigger: Trigger;
  readonly cause: TurnCause;
  readonly references: readonly WakeReference[];
  /** Older references that found no room in the mailbox. */
  readonly omitted: number;
  /** What the last turn ran into. */
  readonly limit: LimitHit | null;
  /** Why the publish gate refused the last work, where the agent was not told yet. */
  readonly refusal?: string;
  readonly prNumber: number | null;
  readonly host: string | null;
  readonly session: SessionStart;
  /** The day's budget does not hold this run up. */
  readonly dayIsLifted: boolean;
  /** The run was moved since its agent was last told anything, and its host has its last frozen state, or not. */
  readonly moved?: 'kept' | 'lost';
}

export interface RunTurnInput extends RunRef {
  readonly prepared: PreparedTurn;
  readonly sessionId: string | null;
  readonly prNumber: number | null;
  /** Head of the run's branch after the last turn: what this turn's work is checked against. */
  readonly head: string | null;
  readonly turnTimeoutMs: number;
  readonly doneGraceMs: number;
  /** What the turn may use of its model. */
  readonly budget: ModelBudget;
  /** Its agent was seen to start: if it is gone, the turn is over. */
  readonly begun: boolean;
  /** The turn that it goes on with, since the machine interrupted that one. */
  readonly goesOnWith: number | null;
  /** Set when the turn was to be stopped while nobody watched it. */
  readonly stop: StopReason | null;
  /** As in `ApplyChangeInput`; nothing without any. */
  readonly changes?: readonly string[];
  /** As in `PrepareTurnInput`: `lost` is also what the host may have of the run from an earlier time. */
  readonly moved?: 'kept' | 'lost';
}

/** What the publish gate must know of the run beside its commits. */
export interface Publisher {
  readonly prepared: PreparedTurn;
  readonly triggerActor: string;
  /** The run's latest pull request, open or not. */
  readonly latestPr: number | null;
}

export interface PublishInput extends RunRef, Publisher {
  readonly requestId: string;
  readonly contentRef: string;
  /** As in `SettleTurnInput`. A call of a version before this has none: then any `STUCK.md` of the agent is news. */
  readonly stuckHash?: string | null;
}

export interface PublishHereInput extends PublishInput {
  /** The run's. */
  readonly host: string;
  /** By the server's clock, epoch milliseconds. */
  readonly taskBeganAt: number;
}

export interface SettleTurnInput extends RunRef, Publisher {
  readonly result: TurnResult;
  /** Of `STUCK.md` as the last turn left it, `null` without one. */
  readonly stuckHash: string | null;
  /** False when the run is ending or nobody wants its work any more. */
  readonly publish: boolean;
}

/** The run as the state row shows it. */
export interface RunSnapshot {
  readonly phase: string;
  readonly reason: FrozenReason | null;
  readonly host: string | null;
  readonly prNumber: number | null;
}

export interface RecordTurnInput extends RunRef {
  /** Absent where nobody could watch the turn to its end: `settled` says why. */
  readonly result?: TurnResult;
  readonly settled: SettledTurn;
  readonly reason: FrozenReason;
  readonly snapshot: RunSnapshot;
  readonly watchdogFired: boolean;
  /** By `open_pr`, while the turn ran. */
  readonly published?: readonly PublishedWork[];
}

export interface RecordStateInput extends RunRef {
  readonly snapshot: RunSnapshot;
}

export interface RecordProposalInput extends RunRef {
  readonly proposal: Omit<ProposalRow, 'slug' | 'workflowId'>;
}

export interface RecordDecisionInput extends RunRef {
  readonly tool: ProposalTool;
  readonly decision: Omit<ProposalDecisionRow, 'slug'>;
  /** Blob of the `ShownProposal` whose image was being built, of which nothing came. */
  readonly tried?: string;
}

/** What operators agreed to for the run's bottle. */
export interface ChangesInput extends RunRef {
  /** All of the run so far, in order: blobs of `ShownProposal`s. */
  readonly changes: readonly string[];
}

/** For the turn that runs. */
export interface ApplyChangeInput extends ChangesInput {
  readonly prepared: PreparedTurn;
}

export type RebuiltImage =
  | { readonly kind: 'built' }
  /** Blob of why not, with the end of what the build printed. */
  | { readonly kind: 'failed'; readonly reasonRef: string };

export interface TellChecksStoppedInput extends RunRef {
  /** The run's open pull request. */
  readonly pr: number;
}

/** An operator pauses new turns, or lets them begin again. */
export interface ChangePauseInput {
  /** The same when it is tried again. */
  readonly id: string;
  readonly workflowId: string;
  readonly action: 'pause' | 'unpause';
  /** As `PauseRow` has it. */
  readonly scope: string;
  readonly who: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface PauseChange {
  /** False when it was so before. */
  readonly changed: boolean;
  /** What holds new turns back now. */
  readonly pauses: readonly PauseRow[];
  /** Why runs are held back, where that is what they are told. */
  readonly reason: string | null;
  /** Workflows that have to hear of it. */
  readonly tell: readonly string[];
}

export interface DestroyInput extends RunRef {
  /** The run's branch; `null` when no turn was ever prepared. */
  readonly branch: string | null;
}

export interface RecordEndInput extends RunRef {
  /** Epoch milliseconds, the forge's clock: a trigger act not later than this starts nothing. */
  readonly endedAt: number;
}
