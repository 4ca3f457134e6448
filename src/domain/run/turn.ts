/** One headless invocation of the agent: one prompt in, one exit out. */
import type { DecisionStatus, ProposalTool } from '../supervise/proposal.js';
import type { Offer } from '../supervise/offer.js';
import type { AgentOutcome, ReportedUse } from '../agent/agent-stream.js';
import type { ModelReport } from './model-use.js';

export type DoneStatus = 'success' | 'blocked' | 'failed';

/** What `signal_done` said. The summary is a blob: text of the agent never enters the workflow's history. */
export interface Done {
  readonly id: string;
  readonly status: DoneStatus;
  readonly summaryRef: string;
}

/** What the agent's output amounted to: its own word. */
export interface AgentReport {
  readonly outcome: AgentOutcome;
  /** Blob of the last error's text; `null` without one. */
  readonly errorRef: string | null;
  /** Of this turn alone; `null` when the CLI says nothing. */
  readonly reported: ReportedUse | null;
  readonly toolCalls: number;
  readonly denials: number;
}

/** Why the orchestrator, not the agent, ended a turn. */
export const STOP_REASONS = [
  'watchdog',
  'timeout',
  'sidecar_died',
  'queue_flood',
  'disk',
  'budget',
  'operator',
  'pause',
  'rebuilt',
  'closed',
  'untriggered',
  'unserved',
  'history',
] as const;
export type StopReason = (typeof STOP_REASONS)[number];

/** A limit of the bottle that a turn ran into: people see it beside the reason, and the next prompt says it. */
export interface LimitHit {
  readonly kind: 'disk' | 'memory';
  /** The orchestrator's own words and numbers, nothing of the agent's. */
  readonly detail: string;
}

/** Exit code of an agent whose container is gone: nobody can tell how it ended. No process has it. */
export const CONTAINER_GONE = -1;

/** What a finished turn left behind; authoritative over any signal sent while it ran. */
export interface TurnResult {
  /** The agent process's exit code; 137 and 143 when it was stopped; or `CONTAINER_GONE`. */
  readonly exitCode: number;
  readonly done: Done | null;
  readonly stopped: StopReason | null;
  /** Epoch milliseconds, the engine's clock. */
  readonly startedAt: number;
  readonly finishedAt: number;
  /** Epoch milliseconds of the last check-in seen. */
  readonly lastCheckinAt: number;
  readonly sidecarRestarts: number;
  /** The commit the turn's work is checked against. */
  readonly baseSha: string;
  readonly sessionId: string | null;
  readonly imageId: string;
  readonly limit: LimitHit | null;
  /** Why a request of the turn is not tried again. */
  readonly setAside: string | null;
  readonly agent: AgentReport;
  /** What the credential proxy metered; `null` when nothing was asked of a model. */
  readonly model: ModelReport | null;
  /** Blob of the operation log, one JSON line an operation. */
  readonly operationsRef: string | null;
  /** Blob of what went through the egress plane, `EgressTotals` as JSON; `null` when nothing did. */
  readonly egressRef: string | null;
  /** Hosts that were refused and not asked for; left out by a version that offered none. */
  readonly offers?: readonly Offer[];
}

/** What the publish gate said. */
export type PublishResult =
  | {
      readonly kind: 'published';
      readonly pr: number;
      readonly prUrl: string;
      readonly head: string;
      readonly created: boolean;
      /** The branch was as it is before. */
      readonly unchanged?: true;
    }
  | { readonly kind: 'pushed'; readonly head: string; readonly unchanged?: true }
  /** Of a run without an issue: in the run's directory, for the operator to fetch. */
  | { readonly kind: 'kept'; readonly head: string }
  | { readonly kind: 'nothing'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** What an agent's `open_pr` came to. */
export type PublishedWork = Pick<Extract<PublishResult, { kind: 'published' }>, 'pr' | 'head'>;

/** Why a frozen run is frozen; `FROZEN_REASONS` says what that means. */
export type FrozenReason =
  | 'done'
  | 'blocked'
  | 'failed'
  | 'incomplete'
  | 'stuck'
  | 'watchdog'
  | 'timeout'
  | 'sidecar_died'
  | 'queue_flood'
  | 'disk'
  | 'budget'
  | 'limited'
  | 'history'
  | 'paused'
  | Withheld;

/** Why a run may have no turn: nobody asks for it on the forge any more, or `FORGE_REPOS` does not name its repository. */
export type Withheld = 'untriggered' | 'unserved';

/**
 * In what session a turn begins. All but `resumed` are fresh ones, whose prompt tells the task: the run's first, or one in
 * the place of a session that had grown too long (`rotated`) or that the agent no longer knows (`lost`).
 */
export type SessionStart = 'resumed' | 'first' | 'rotated' | 'lost';

/** Why a turn runs: decides what its prompt says. */
export type TurnCause =
  | UninterruptedCause
  /** The machine ended the agent in the middle of that turn, which ran for that. */
  | { readonly kind: 'interrupted'; readonly of: UninterruptedCause; readonly turn: number };

type UninterruptedCause =
  | { readonly kind: 'first' }
  | { readonly kind: 'wake' }
  | { readonly kind: 'retriggered' }
  /** The provider answers again: usage limit over, or no longer overloaded. Or a turn that its budget ended goes on. */
  | { readonly kind: 'limit_over' }
  | { readonly kind: 'operator'; readonly promptRef: string | null }
  /** An operator has decided what the agent proposed [S2]. */
  | { readonly kind: 'decision'; readonly decisions: readonly DecidedInTurn[] }
  /** With what it did not commit either, where there is something. */
  | { readonly kind: 'nudge'; readonly why: 'not_done'; readonly pathsRef?: string }
  | { readonly kind: 'nudge'; readonly why: 'uncommitted'; readonly pathsRef: string }
  | { readonly kind: 'nudge'; readonly why: 'refused'; readonly reason: string };

export interface DecidedInTurn {
  readonly id: string;
  readonly tool: ProposalTool;
  readonly status: Exclude<DecisionStatus, 'cancelled'>;
  readonly notesRef: string | null;
  /** The agent did not ask for it, a host was refused: blob of the `ShownProposal` that is in effect. */
  readonly offerRef?: string;
}
