import type { LimitHit } from '../run/turn.js';
import type { DecisionStatus, ProposalTool } from '../supervise/proposal.js';

/**
 * What a turn's prompt is made of. Every text in here except the operator's own was written on the forge: by people who
 * may wake the agent, by the agent itself, or, of the subject, before somebody who may ask for an agent asked for this one.
 */

/** One thing that happened, in the order in which the agent shall learn of it. Times are ISO 8601. */
export type PromptEvent = Happening & {
  /** An earlier prompt of the run had it, too. */
  readonly again?: boolean;
};

type Happening =
  | {
      readonly kind: 'comment';
      readonly number: number;
      readonly author: string;
      readonly at: string;
      readonly body: string;
    }
  | {
      readonly kind: 'review';
      readonly number: number;
      readonly author: string;
      readonly at: string;
      readonly state: 'approved' | 'changes_requested' | 'commented';
      readonly body: string;
      readonly comments: readonly { readonly path: string; readonly line: number; readonly body: string }[];
    }
  | {
      readonly kind: 'inline';
      readonly number: number;
      readonly author: string;
      readonly at: string;
      readonly path: string;
      readonly line: number;
      readonly body: string;
    }
  | {
      readonly kind: 'push';
      readonly number: number;
      readonly author: string;
      readonly at: string;
      readonly sha: string;
    }
  /** Everything in `failed` is the word of whoever may set a status: CI, and what the commits made it print. */
  | {
      readonly kind: 'checks';
      readonly number: number;
      readonly sha: string;
      readonly failed: readonly FailedCheck[];
      /** How many more there are. */
      readonly more: number;
    };

export interface FailedCheck {
  readonly name: string;
  readonly state: string;
  readonly description: string;
  readonly url: string;
  /** The end of its log; `null` where the forge has none. */
  readonly log: string | null;
}

/** A branch that has new commits since the last turn. `rewritten`: the old ones are no longer all in it. */
export interface MovedBranch {
  readonly which: 'base' | 'own';
  readonly name: string;
  readonly sha: string;
  readonly rewritten: boolean;
}

/** What the run is about. */
export type PromptTask =
  | {
      readonly kind: 'issue' | 'pull';
      readonly number: number;
      readonly title: string;
      readonly body: string;
      readonly author: string;
      readonly url: string;
      /** Title and description were changed after the trigger, and perhaps by somebody who may not drive an agent. */
      readonly withheld: boolean;
      /** Open pull requests that name the issue already; `by` `null` when nobody who may wake the agent wrote the title. */
      readonly linkedPulls: readonly {
        readonly number: number;
        readonly by: { readonly author: string; readonly title: string } | null;
      }[];
    }
  /** A run without an issue: the operator's own words. */
  | { readonly kind: 'local'; readonly prompt: string };

/** The orchestrator's own reason for one more turn. */
export type NudgeReason =
  | { readonly why: 'not_done'; readonly paths?: readonly string[] }
  | { readonly why: 'uncommitted'; readonly paths: readonly string[] }
  | { readonly why: 'refused'; readonly reason: string };

/** The operator's answer to a proposal [S2]. */
export interface ProposalDecision {
  readonly proposalId: string;
  readonly tool: ProposalTool;
  readonly status: Exclude<DecisionStatus, 'cancelled'>;
  readonly notes: string;
  /** Lines that the allowlist has for a host that was refused and that the agent had not asked for. */
  readonly unasked?: readonly string[];
}

/** What a session that begins in the middle of a run is told, for it knows nothing of the ones before. */
export interface FreshSession {
  /** `first`: no session was there yet, though a turn was. */
  readonly why: 'first' | 'rotated' | 'lost';
  /** Body of the agent's manifest. */
  readonly role: string;
  readonly task: PromptTask;
  /** What the agent said at the ends of its turns, oldest first; its own words. */
  readonly summaries: readonly TurnSummary[];
  readonly pull: PullState | null;
  /** The latest that people who may wake the agent, or the agent itself, wrote; oldest first. */
  readonly comments: readonly PromptEvent[];
}

export interface TurnSummary {
  readonly turn: number;
  readonly status: 'success' | 'blocked' | 'failed';
  readonly text: string;
}

export interface PullState {
  readonly number: number;
  /** `null` when nobody who may wake the agent wrote it. */
  readonly title: string | null;
  readonly state: string;
}

export type PromptCause =
  | UninterruptedCause
  /** The machine ended the agent in the middle of the turn that ran for that. */
  | { readonly kind: 'interrupted'; readonly of: UninterruptedCause };

type UninterruptedCause =
  /** `role` is the body of the agent's manifest. */
  | { readonly kind: 'first'; readonly role: string; readonly task: PromptTask }
  | { readonly kind: 'wake' }
  /** Unassigned or unlabelled, and now wanted again. */
  | { readonly kind: 'retriggered' }
  /** The model's provider answers again, or there is budget for it again. */
  | { readonly kind: 'limit_over' }
  /** `text` is the operator's; `null` just goes on. */
  | { readonly kind: 'operator'; readonly text: string | null }
  | { readonly kind: 'nudge'; readonly reason: NudgeReason }
  | { readonly kind: 'decision'; readonly decisions: readonly ProposalDecision[] };

export type PromptInput = PromptCause & {
  /** For a session that begins in the middle of a run; `null` for one that goes on, and for the first turn's cause. */
  readonly fresh: FreshSession | null;
  /** The run's own branch. */
  readonly branch: string;
  /** `null`: the repository's default branch. */
  readonly baseBranch: string | null;
  /** The run's open pull request. */
  readonly pr: number | null;
  /** In order; may be empty. */
  readonly events: readonly PromptEvent[];
  /** Older events of which nothing but their number is known any more. */
  readonly omitted: number;
  /** What the last turn ran into; the orchestrator's own words. */
  readonly limit: LimitHit | null;
  /** Why the publish gate refused the last work; names of the agent's files are in there. */
  readonly refusal?: string | undefined;
  /** The run was moved to another host since the agent was last told anything, with its last frozen state or without. */
  readonly moved?: 'kept' | 'lost' | undefined;
  /** The run has a forge: the overlay that teaches the sidecar is part of the prompt. */
  readonly forge: boolean;
};
