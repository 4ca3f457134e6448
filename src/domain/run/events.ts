/**
 * Everything that can happen to a run, as small references: no comment text, title or prompt is ever in here, because
 * all of it ends up in the workflow's history.
 */
import type { ResourceLimits } from '../bottle/bottle-runtime.js';
import type { DiskRequest } from '../bottle/disk-usage.js';
import type { Place, RepoRef } from '../forge/issue.js';
import type { ModelBudget } from './model-use.js';
import type { RunPolicy } from './run-policy.js';
import type { LostPart } from './run-files.js';
import type { SecretScanReport } from '../secret/secret-scanner.js';
import type { DecisionStatus, ProposalTool } from '../supervise/proposal.js';
import type { Done, PublishResult, TurnResult } from './turn.js';

/** Something a person did, or checks that fail, that becomes part of a prompt. */
export interface WakeReference {
  /** The thing itself, for duplicates: `comment:<id>:<body hash>`, `review:<id>`, `push:<sha>`, `checks:<sha>:<hash>`. */
  readonly key: string;
  /**
   * `inline`: an answer in a thread on a line, which belongs to somebody's earlier review. `checks`: they fail on a pull
   * request's head, and not on its base.
   */
  readonly kind: 'comment' | 'review' | 'inline' | 'push' | 'checks';
  /** Number of the issue or PR it happened on. */
  readonly number: number;
  /** The forge's id of the comment or review; 0 for the others. */
  readonly id: number;
  /** Head commit of a push, or the one whose checks fail; else empty. */
  readonly sha: string;
  /** Empty for checks. */
  readonly author: string;
  /** Epoch milliseconds, the forge's clock. */
  readonly at: number;
  /** It was in an earlier prompt, which the agent may never have read. */
  readonly again?: boolean;
}

/** A verified trigger: who completed it, when, and what it asks for. */
export interface Trigger {
  readonly agent: string;
  /** Named by label; empty means the agent's own. */
  readonly bottles: readonly string[];
  /** Login on the forge; empty for the operator. */
  readonly actor: string;
  /** Epoch milliseconds of the completing act, the forge's clock: whole seconds. */
  readonly actAt: number;
  /** The forge's number of that act, which orders acts of the same second; 0 for the operator. */
  readonly actId: number;
  /** Hash of title, description and base branch as they were then; empty when nobody's text counts. */
  readonly textHash: string;
  /** The pull request the run works on from its beginning: its subject, or an earlier run's that was reopened. */
  readonly pull: number | null;
  /** Started by the operator, not by the forge: label and assignee are not asked for. `promptRef` replaces the text. */
  readonly operator?: {
    readonly promptRef: string | null;
    /** As in `OperatorCommand`. */
    readonly by?: string;
    /** Of a run without an issue: where its commits come from. Nothing is written there. */
    readonly source?: RepoRef;
  };
}

export interface ObservedPr {
  readonly number: number;
  readonly open: boolean;
  readonly merged: boolean;
  /** Epoch milliseconds, `null` while open. */
  readonly closedAt: number | null;
}

/** What a fresh read of the forge showed. The machine ignores a read older than one it has seen of the same thing. */
export interface Observed {
  readonly kind: 'observed';
  /** Epoch milliseconds when the read began. */
  readonly readAt: number;
  /** `Forge.aheadMs`; absent while nothing shows that the clocks differ. */
  readonly aheadMs?: number;
  /** The subject itself. */
  readonly open: boolean;
  /** When it was closed last, whether or not it is open again; `null`: never, or that is not known. */
  readonly closedAt: number | null;
  /** Agent label and member assignee hold right now, whether or not the subject is open. */
  readonly triggered: boolean;
  /** Set when they hold on an open subject and the completing act was by somebody who may: only this starts a run. */
  readonly trigger: Trigger | null;
  /** The run's pull requests that were read along. */
  readonly prs: readonly ObservedPr[];
  /** Where the repository is now. */
  readonly place: Place;
}

/** What arrives by signal. */
export type RunEvent =
  | Observed
  /** What people wrote or pushed and checks that fail, in order, and the comments (by id) that are gone from the forge. */
  | {
      readonly kind: 'references';
      readonly references: readonly WakeReference[];
      readonly withdrawn: readonly number[];
      /** Where the repository is now. */
      readonly place: Place;
    }
  /** Its repository is where nothing is served, or out of sight. */
  | { readonly kind: 'unserved'; readonly why: string }
  /** Its subject is gone. */
  | { readonly kind: 'lost'; readonly readAt: number; readonly why: string }
  | {
      readonly kind: 'turn_started';
      readonly slug: string;
      readonly turn: number;
      readonly at: number;
      /** What the run had kept and was gone; absent when nothing was. */
      readonly lost?: readonly LostPart[];
    }
  /** It cannot begin now, and is tried again. */
  | {
      readonly kind: 'turn_held_up';
      readonly slug: string;
      readonly turn: number;
      readonly reason: string;
    }
  | { readonly kind: 'signal_done'; readonly slug: string; readonly turn: number; readonly done: Done }
  /** New turns are paused, for which reason; and no longer. */
  | { readonly kind: 'paused'; readonly reason: string }
  | { readonly kind: 'unpaused' }
  /** From the sweeper: the run has been frozen so long that its containers may go. */
  | { readonly kind: 'archive'; readonly slug: string }
  /** From a worker that was upgraded, or whose settings have changed. */
  | { readonly kind: 'settings'; readonly policy: RunPolicy };

/** What an operator may ask for, by an update of that name. A prompt is a blob reference. */
export type OperatorCommand = OperatorOrder & {
  /** Who says so, as the sender has it (`isOperatorName`); absent in what comes through Temporal's own tools. */
  readonly by?: string;
};

type OperatorOrder =
  | { readonly kind: 'freeze' }
  | { readonly kind: 'resume'; readonly promptRef: string | null }
  | { readonly kind: 'destroy' }
  | { readonly kind: 'extend'; readonly ms: number }
  /** Added to what the run may use. */
  | {
      readonly kind: 'budget';
      readonly turns: number;
      readonly tokens: number;
      readonly microUsd: number;
      /** Until then the day's budget does not hold the run up, epoch milliseconds; `null`: it does. */
      readonly dayEnds: number | null;
    }
  | { readonly kind: 'done'; readonly status: Done['status'] }
  /** Leave the host that the run is on, and go on on whichever takes it. */
  | { readonly kind: 'move' };

/** What the workflow itself learns from its activities and timers. */
export type InnerEvent =
  | { readonly kind: 'command'; readonly command: OperatorCommand; readonly at: number }
  /** `holds`: of a run that was moved, the last turn whose end the host has; 0: none. */
  | { readonly kind: 'host_claimed'; readonly host: string; readonly holds?: number }
  /** Nobody on the host takes what the turn needs, since then, epoch milliseconds; and somebody does again. */
  | { readonly kind: 'host_silent'; readonly turn: number; readonly since: number }
  | { readonly kind: 'host_back'; readonly turn: number }
  | { readonly kind: 'prepare_ended'; readonly turn: number; readonly outcome: PrepareTurnOutcome }
  /** The time that a run sleeps to has come. */
  | { readonly kind: 'resume_due'; readonly at: number }
  /** Nobody watches it any more; `reason` where that is known. */
  | { readonly kind: 'turn_lost'; readonly turn: number; readonly reason: string | null }
  | { readonly kind: 'turn_finished'; readonly turn: number; readonly result: TurnResult }
  | { readonly kind: 'settled'; readonly turn: number; readonly settled: SettledTurn }
  | { readonly kind: 'published'; readonly requestId: string; readonly result: PublishResult }
  | {
      readonly kind: 'proposed';
      readonly id: string;
      readonly tool: ProposalTool;
      readonly ref: string;
      readonly turn: number;
      readonly at: number;
    }
  /** An operator's decision; `ref` as in `ProposalDecisionRow`. */
  | {
      readonly kind: 'decided';
      readonly id: string;
      readonly status: Exclude<DecisionStatus, 'cancelled'>;
      readonly by: string;
      readonly at: number;
      readonly ref: string | null;
      readonly notesRef: string | null;
    }
  /** What was agreed to is in effect in the bottle that runs; or cannot be, and why. */
  | { readonly kind: 'change_applied'; readonly id: string }
  | { readonly kind: 'change_failed'; readonly id: string; readonly reason: string }
  /** The image that was agreed to cannot be built, for whatever the blob says. */
  | { readonly kind: 'build_failed'; readonly id: string; readonly reasonRef: string }
  /** The agent's call was answered. */
  | { readonly kind: 'proposal_told'; readonly id: string }
  | { readonly kind: 'watchdog_fired'; readonly turn: number }
  | { readonly kind: 'checkin_age'; readonly turn: number; readonly ageMs: number | null }
  /** A signal that nobody of ours sent. */
  | { readonly kind: 'unread'; readonly why: string }
  /** The containers are put away; or cannot be now, for that reason, and the sweeper asks again. */
  | { readonly kind: 'archive_ended'; readonly failure: string | null }
  | { readonly kind: 'destroyed' }
  | { readonly kind: 'history_full' }
  /** A step failed for good (no repetition cures it). */
  | {
      readonly kind: 'step_failed';
      readonly step: 'claim' | 'prepare' | 'run' | 'settle' | 'destroy';
      readonly turn: number;
      readonly reason: string;
    };

export type MachineEvent = RunEvent | InnerEvent;

/** Result of `prepareTurn`. */
export type PrepareTurnOutcome =
  | { readonly kind: 'ready'; readonly prepared: PreparedTurn }
  | { readonly kind: 'refused'; readonly reason: string }
  /** What was to wake the agent is gone from the forge by now. */
  | { readonly kind: 'nothing_left' }
  /** All runs together have used up the day's budget, which ends at `until`, epoch milliseconds. */
  | { readonly kind: 'over_budget'; readonly reason: string; readonly until: number }
  /** The operator has paused new turns. */
  | { readonly kind: 'paused'; readonly reason: string }
  /** The repository was renamed or transferred since the workflow last heard of it. */
  | { readonly kind: 'moved'; readonly place: Place };

/** What the host needs to run a turn. */
export interface PreparedTurn {
  readonly promptRef: string;
  /** The branch the run works on and publishes to. */
  readonly branch: string;
  /** Keys of comments that had changed again when they were read for the prompt. */
  readonly readKeys: readonly string[];
  readonly provider: string;
  readonly model: string | null;
  /** From the agent's manifest; absent where that sets none. */
  readonly variant?: string;
  /** The agent's own limits, milliseconds: they count where they are below the operator's. */
  readonly turnTimeoutMs?: number;
  readonly watchdogMs?: number;
  readonly image: string;
  readonly env: Readonly<Record<string, string>>;
  /** What is left of the day's budget; where it says nothing, there is no limit. */
  readonly budget?: ModelBudget;
  readonly limits: ResourceLimits;
  /** What the bottle asks for in the place of the host's settings; where it says nothing, there is nothing. */
  readonly disk?: DiskRequest;
  readonly gitUser: { readonly name: string; readonly email: string };
  /** Candidates for the base, best first; without one that exists it is the repository's default branch. */
  readonly baseBranches: readonly string[];
  readonly bottleNames: readonly string[];
  readonly allowPaths: readonly string[];
  readonly drafts: boolean;
  /** Blob of the bottle's `BottleSetup`, as JSON. */
  readonly bottleRef: string;
}

/** Result of `freezeBottle`: what the turn left in the workspace and on the forge. */
export interface SettledTurn {
  readonly publish: PublishResult;
  /** `STUCK.md` is new or changed in this turn. */
  readonly stuck: boolean;
  readonly stuckHash: string | null;
  /** Number of uncommitted paths; their list is a blob. */
  readonly uncommitted: number;
  readonly uncommittedRef: string | null;
  /** Head of the run's branch in the workspace: the next turn's base. */
  readonly head: string | null;
  readonly transcriptHash: string | null;
  /** What the publish gate's scans said, of each time it was asked in this turn; text of the agent is not in there. */
  readonly secretScans?: readonly SecretScanReport[];
}
