/**
 * Every signal, update and query of the issue workflow, defined once: the one file of this folder that others import.
 */
import { defineQuery, defineUpdate } from '@temporalio/workflow';
import type { Amounts } from '../domain/run/budget.js';
import type { OperatorCommand, RunEvent } from '../domain/run/events.js';
import type { SubjectRef } from '../domain/forge/issue.js';
import type { PauseRow } from '../domain/run/pause.js';
import type { FrozenReason, PublishResult } from '../domain/run/turn.js';
import type { OpenPrRequest, ProposalOutcome, ProposeRequest } from '../domain/run/run-channel.js';
import type { DecideRequest, DecisionAccepted } from '../domain/supervise/decision.js';
import type { Phase } from './run/phase.js';
import type { LastTurn, TimelineEntry } from './run/state.js';

export { STATE_VERSION, type IssueWorkflowInput } from './version.js';

export const ISSUE_WORKFLOW = 'issueWorkflow';
export const PAUSE_WORKFLOW = 'pauseWorkflow';
export const RECONCILE_WORKFLOW = 'reconcileWorkflow';
export const SWEEP_WORKFLOW = 'sweepWorkflow';
export const SYNC_WORKFLOW = 'syncWorkflow';
export const SCHEDULED_SYNC_WORKFLOW = 'scheduledSyncWorkflow';

/** Workflows and light activities; a turn runs on `turns@<host>`, short container activities on `bottles@<host>`. */
export const TASK_QUEUE = 'bot-bottle';
/** Shared by all hosts: whoever polls it first claims the run. */
export const CLAIM_QUEUE = 'bottles';
export const turnsQueue = (host: string): string => `turns@${host}`;
export const bottlesQueue = (host: string): string => `bottles@${host}`;

/** Activities that stay with an agent until it exits. */
export const WATCHING: readonly string[] = [
  ...['launchBottle', 'rehydrateBottle', 'reattachBottle'],
  ...['runSync', 'reattachSync'],
];

/** Search attributes, all of type Keyword except the number. */
export const SEARCH_ATTRIBUTES = {
  ForgeRepo: 'KEYWORD',
  ForgeIssue: 'INT',
  BottleSlug: 'KEYWORD',
  BottleAgent: 'KEYWORD',
  BottlePhase: 'KEYWORD',
  /** Why a frozen run is frozen, or `host_silent`. */
  BottleReason: 'KEYWORD',
} as const;

/** What `pauseWorkflow` is started with: one workflow a scope, the latest word counts. */
export interface PauseOrder {
  readonly action: 'pause' | 'unpause';
  /** As `PauseRow` has it. */
  readonly scope: string;
  /** As in `OperatorCommand`. */
  readonly by: string;
}

export interface PauseAnswer {
  readonly action: PauseOrder['action'];
  /** False when it was so before. */
  readonly changed: boolean;
  /** What holds new turns back now. */
  readonly pauses: readonly PauseRow[];
}

export const pauseWorkflowId = (scope: string): string => `pause:${scope}`;

/**
 * Signals by name, as people read them in Temporal's page. One handler takes all of them, in the order in which they came:
 * between names with handlers of their own there is none.
 */
export type SignalName =
  | Exclude<RunEvent['kind'], 'references'>
  | 'issue_comment'
  | 'pr_comment'
  | 'pr_review'
  | 'push'
  | 'checks_failed'
  | 'comment_deleted';

/** What is sent for an event: a batch of references is called after its weightiest. @param subject the run's own number */
export function signalOf(
  event: RunEvent,
  subject: number,
): { readonly name: SignalName; readonly payload: Readonly<Record<string, unknown>> } {
  const { kind, ...payload } = event;
  return { name: kind === 'references' ? nameOf(event, subject) : kind, payload };
}

function nameOf({ references }: Extract<RunEvent, { kind: 'references' }>, subject: number): SignalName {
  if (references.some(({ kind }) => kind === 'review' || kind === 'inline')) return 'pr_review';
  const comments = references.filter(({ kind }) => kind === 'comment');
  if (comments.some(({ number }) => number === subject)) return 'issue_comment';
  if (comments.length > 0) return 'pr_comment';
  if (references.some(({ kind }) => kind === 'push')) return 'push';
  return references.length > 0 ? 'checks_failed' : 'comment_deleted';
}

/**
 * What an operator asks for, by name. Takes the command's fields and `by`, and what is left out is nothing:
 * `temporal workflow update execute --name extend --input '{"ms": 600000}'`. Refused by its validator, with the reason,
 * when it cannot apply.
 */
const command = (kind: OperatorCommand['kind']): CommandUpdate => defineUpdate(kind);

type CommandUpdate = ReturnType<typeof defineUpdate<CommandAccepted, [object | undefined]>>;

export const commandUpdates = {
  freeze: command('freeze'),
  resume: command('resume'),
  destroy: command('destroy'),
  done: command('done'),
  extend: command('extend'),
  budget: command('budget'),
  move: command('move'),
} as const;

export const COMMAND_KINDS = Object.keys(commandUpdates) as readonly (keyof typeof commandUpdates)[];

/** Sent with a command or a decision. */
export interface SentUntil {
  /** Epoch milliseconds by the sender's clock; absent where the sender waits for as long as it takes. */
  readonly until?: number;
}

export interface CommandAccepted {
  readonly slug: string | null;
  readonly phase: Phase;
  /** The turn the command starts or acts on. */
  readonly turn: number;
}

/** The agent's `open_pr`, relayed by the host. The same request id gives the same answer. */
export const openPrUpdate = defineUpdate<PublishResult, [OpenPrRequest]>('openPr');

/** Type of the failure that says: held in this turn already, and nobody has decided it yet. */
export const PROPOSAL_PENDING = 'ProposalPending';

/** The agent's proposal, relayed by the host: held open until somebody decides, or for `superviseHoldMs`, once in a turn. */
export const proposeUpdate = defineUpdate<ProposalOutcome, [ProposeRequest]>('propose');

/**
 * The operator's word. Errors: `DecisionRefused` for a proposal that is not there, is decided already (by whom and when), or is
 * not what was shown; `ChangeFailed` when it could not take effect: then it waits as before.
 */
export const decideUpdate = defineUpdate<DecisionAccepted, [DecideRequest]>('decide');

export const stateQuery = defineQuery<RunView>('state');
export const timelineQuery = defineQuery<readonly TimelineEntry[]>('timeline');

/** What a life came to, as the workflow's result. */
export interface RunOutcome {
  readonly slug: string;
  readonly agent: string;
  /** Numbers of the run's pull requests, oldest first. */
  readonly prs: readonly number[];
  readonly turns: number;
  /** As metered by the credential proxy. */
  readonly spent: Amounts;
  /** Why it ended. */
  readonly why: string;
}

/** What an operator sees of a run. */
export interface RunView {
  readonly subject: SubjectRef;
  readonly slug: string | null;
  readonly phase: Phase;
  readonly reason: FrozenReason | null;
  readonly detail: string | null;
  readonly turn: number;
  readonly host: string | null;
  /** Since when nobody on that host takes what the turn needs, epoch milliseconds; `null`: it is not seen to be silent. */
  readonly hostSilentSince: number | null;
  /** How often the run was moved to another host. */
  readonly epoch: number;
  readonly agent: string | null;
  readonly prs: readonly number[];
  readonly sessionId: string | null;
  readonly mailbox: number;
  /** How many proposals of its agent wait for an operator. */
  readonly proposals: number;
  readonly watchdogFired: boolean;
  readonly lastTurn: LastTurn | null;
  /** As metered by the credential proxy, and what the run may use. */
  readonly spent: Amounts;
  readonly budget: Amounts;
  /** When a frozen run goes on by itself, epoch milliseconds. */
  readonly resumeAt: number | null;
}
