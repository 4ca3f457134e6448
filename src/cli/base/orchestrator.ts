/** What the commands ask of a running orchestrator. Every call may throw `UnreachableError`. */
import type { Amounts } from '../../domain/run/budget.js';
import type { SubjectRef } from '../../domain/forge/issue.js';
import type { PauseRow } from '../../domain/run/pause.js';
import type {
  OperatorCommandRow,
  RejectionRow,
  RunOverviewRow,
  RunStatus,
  SessionRow,
} from '../../domain/run/rows.js';
import type { PauseAnswer } from '../../workflows/messages.js';
import type { EndedTurn } from './exit-codes.js';
import type { ProposalDesk } from './proposal-desk.js';

export interface Orchestrator extends ProposalDesk {
  /** Starts a run of the issue, as a trigger by the operator. */
  start(subject: SubjectRef, options: StartOptions): Promise<Started | Refused>;
  /** Starts a run without an issue. */
  startLocal(source: RunSource, options: LocalOptions): Promise<Started | Refused>;
  /** A new turn of a frozen run. */
  resume(slug: string, prompt: string): Promise<Started | Refused | NotFound>;
  command(target: Target, command: RunCommand): Promise<Accepted | Refused | NotFound>;
  status(filter: { readonly all: boolean }): Promise<readonly RunSummary[]>;
  /** The same of one run; `undefined` when no row of it is there, or a later life of the issue has taken it over. */
  run(slug: string): Promise<RunSummary | undefined>;
  /** What the run's workflow noted, oldest first; `undefined` when it does not know the run any more. */
  timeline(slug: string): Promise<readonly Noted[] | undefined>;
  /** The runs that go on, by their rows alone: for who asks again and again. */
  overview(): Promise<readonly RunOverviewRow[]>;
  /** What the run's workflow knows better than its rows; `null` when it does not know the run. */
  live(run: RunOverviewRow): Promise<LiveRun | null>;
  /** Triggers that started nothing, newest first. */
  rejections(limit: number): Promise<readonly RejectionRow[]>;
  /** New turns are held back, or begin again. @param scope as `PauseRow` has it */
  pause(action: 'pause' | 'unpause', scope: string): Promise<PauseAnswer | Superseded>;
  pauses(): Promise<readonly PauseRow[]>;
  /** What operators did, newest first. */
  commands(limit: number): Promise<readonly OperatorCommandRow[]>;
  /**
   * Resolves when the turn is over and the run rests: frozen, or destroyed. Turns that follow at once are followed, too: a
   * nudge, a fresh session, what people wrote meanwhile. However long that takes.
   */
  waitForTurn(begun: Started): Promise<TurnOutcome>;
  close(): Promise<void>;
}

/** What the dashboard shows, and what is done there. */
export type DashboardDesk = Pick<
  Orchestrator,
  'overview' | 'live' | 'waiting' | 'findProposals' | 'proposal' | 'decide'
>;

export interface StartOptions {
  /** `null`: the one the issue's label names. */
  readonly agent: string | null;
  /** Empty: the agent's own. */
  readonly bottles: readonly string[];
  /** Replaces the issue's text as the first prompt. */
  readonly prompt: string | null;
  /** A display name. */
  readonly label: string | null;
}

/** Where the commits of a run without an issue come from. */
export type RunSource =
  | { readonly kind: 'repository'; readonly owner: string; readonly repo: string }
  /** Absolute path on this machine. */
  | { readonly kind: 'directory'; readonly path: string };

export interface LocalOptions extends StartOptions {
  readonly agent: string;
  readonly prompt: string;
}

export interface Started {
  readonly kind: 'started';
  readonly slug: string;
  readonly workflowId: string;
  readonly turn: number;
}

export interface Accepted {
  readonly kind: 'accepted';
  readonly slug: string | null;
  readonly phase: string;
}

export interface Refused {
  readonly kind: 'refused';
  readonly reason: string;
}

/** Somebody said something else of the same scope meanwhile. */
export interface Superseded {
  readonly kind: 'superseded';
}

export interface NotFound {
  readonly kind: 'not_found';
}

/** A run by its subject (an issue, or one of its pull requests) or by its slug. */
export type Target =
  | { readonly kind: 'subject'; readonly subject: SubjectRef }
  | { readonly kind: 'slug'; readonly slug: string };

export type RunCommand =
  | { readonly kind: 'done' }
  | { readonly kind: 'freeze' }
  | { readonly kind: 'resume'; readonly prompt: string | null }
  | { readonly kind: 'destroy' }
  | { readonly kind: 'move' }
  | { readonly kind: 'extend'; readonly ms: number }
  | {
      readonly kind: 'budget';
      readonly turns: number;
      readonly tokens: number;
      readonly microUsd: number;
      /** Not held up by the day's budget for the rest of the day. */
      readonly today: boolean;
    };

/** The run's row, with what its workflow knows better where that can be asked. Times are epoch milliseconds. */
export interface RunSummary {
  /** `owner/repo#n`; `null` for a run without an issue. */
  readonly issue: string | null;
  /** Of a run without an issue: what it works on. */
  readonly issueUrl: string;
  readonly slug: string;
  readonly agent: string;
  readonly bottles: readonly string[];
  readonly backend: string;
  /** `Name <address>`: the author of the agent's commits. */
  readonly gitUser: string;
  readonly status: RunStatus;
  readonly phase: string;
  readonly reason: string | null;
  /** For people: more of the reason. */
  readonly detail: string | null;
  /** What the run waits for; `null` when that is nobody, or its agent. */
  readonly step: StepUnderWay | null;
  /** Used by the run's turns, as metered; `null` when the run's workflow does not answer. */
  readonly spent: Amounts | null;
  /** When the agent was last heard of; some seconds behind while it works, `null` before that. */
  readonly lastCheckinAt: number | null;
  /** Number of the latest pull request. */
  readonly pr: number | null;
  readonly prUrl: string | null;
  /** The workflow could not be asked: this is what the row said last. */
  readonly stale: boolean;
  /** Of a run without an issue: the command that fetches its commits; `null` while there are none. */
  readonly fetch: string | null;
  /** The one its last ended turn worked in; `null` before that. */
  readonly session: SessionRow | null;
}

export interface Noted {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly turn: number;
  /** For people; may quote whoever acted. */
  readonly what: string;
}

export interface LiveRun {
  readonly phase: string;
  readonly turn: number;
  readonly microUsd: number;
}

export interface TurnOutcome extends EndedTurn {
  /** The last one that was followed. */
  readonly turn: number;
  /** For people: more of the reason; of several lines, perhaps. */
  readonly detail: string | null;
  readonly sessionId: string | null;
  /** As in `RunSummary`. */
  readonly fetch: string | null;
  /** Number of the run's latest pull request that is open, and all of those. */
  readonly pr: number | null;
  readonly prs: readonly number[];
}

/** A step of a run that is tried, or waits to be. */
export interface StepUnderWay {
  /** Name of the activity, such as `freezeBottle`. */
  readonly activity: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** What the attempt before ended with; may quote an agent. */
  readonly error: string | null;
}
