/**
 * Every signal, update and query of the issue workflow, defined once: the one file of this folder that others import.
 */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { Amounts } from '../domain/budget.js';
import type { OperatorCommand, RunEvent } from '../domain/events.js';
import type { SubjectRef } from '../domain/issue.js';
import type { PauseRow } from '../domain/pause.js';
import type { RunPolicy } from '../domain/run-policy.js';
import type { NamedRun } from '../domain/slug.js';
import type { FrozenReason, PublishResult } from '../domain/turn.js';
import type { IssueState, LastTurn, Phase, TimelineEntry } from './run/state.js';

export const ISSUE_WORKFLOW = 'issueWorkflow';
export const PAUSE_WORKFLOW = 'pauseWorkflow';
export const RECONCILE_WORKFLOW = 'reconcileWorkflow';
export const SWEEP_WORKFLOW = 'sweepWorkflow';

/** Workflows and light activities; a turn runs on `turns@<host>`, short container activities on `bottles@<host>`. */
export const TASK_QUEUE = 'bot-bottle';
/** Shared by all hosts: whoever polls it first claims the run. */
export const CLAIM_QUEUE = 'bottles';
export const turnsQueue = (host: string): string => `turns@${host}`;
export const bottlesQueue = (host: string): string => `bottles@${host}`;

/** Search attributes of spec section 12, all of type Keyword except the number. */
export const SEARCH_ATTRIBUTES = {
  ForgeRepo: 'KEYWORD',
  ForgeIssue: 'INT',
  BottleSlug: 'KEYWORD',
  BottleAgent: 'KEYWORD',
  BottlePhase: 'KEYWORD',
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

export interface IssueWorkflowInput {
  readonly subject: SubjectRef;
  readonly policy: RunPolicy;
  /** The first life's name, when its trigger is for that agent; else the workflow makes one. */
  readonly named?: NamedRun;
  /** State of the life before a continue-as-new. */
  readonly carried?: IssueState;
}

/** One signal with a tagged union: order is only guaranteed per name. */
export const eventSignal = defineSignal<[RunEvent]>('event');

/** Refused by its validator, with the reason, when it cannot apply. */
export const commandUpdate = defineUpdate<CommandAccepted, [OperatorCommand]>('command');

export interface CommandAccepted {
  readonly slug: string | null;
  readonly phase: Phase;
  /** The turn the command starts or acts on. */
  readonly turn: number;
}

/** The agent's `open_pr`, relayed by the host; title and body are a blob. The same request id gives the same answer. */
export const openPrUpdate = defineUpdate<PublishResult, [OpenPrRequest]>('openPr');

export interface OpenPrRequest {
  readonly slug: string;
  readonly turn: number;
  readonly requestId: string;
  readonly contentRef: string;
}

export const stateQuery = defineQuery<RunView>('state');
export const timelineQuery = defineQuery<readonly TimelineEntry[]>('timeline');

/** What an operator sees of a run. */
export interface RunView {
  readonly subject: SubjectRef;
  readonly slug: string | null;
  readonly phase: Phase;
  readonly reason: FrozenReason | null;
  readonly detail: string | null;
  readonly turn: number;
  readonly host: string | null;
  readonly agent: string | null;
  readonly prs: readonly number[];
  readonly sessionId: string | null;
  readonly mailbox: number;
  readonly watchdogFired: boolean;
  readonly lastTurn: LastTurn | null;
  /** As metered by the credential proxy, and what the run may use. */
  readonly spent: Amounts;
  readonly budget: Amounts;
  /** When a frozen run goes on by itself, epoch milliseconds. */
  readonly resumeAt: number | null;
}
