import type { FrozenReason, StopReason } from '../../domain/run/turn.js';
import type { SyncStatus } from '../../domain/sync/sync.js';

/** What the program's exit status says. `--wait` adds those of `TURN_EXIT` and the agent's own. */
export const EXIT = {
  ok: 0,
  /** It was tried and failed. */
  failed: 1,
  /** The command line or the configuration is wrong; nothing was tried. */
  usage: 2,
  /** No such run, issue, pull request or manifest. */
  notFound: 3,
  /** It is there, but what was asked cannot apply now; the reason is printed. */
  refused: 4,
  /** Temporal, the container engine or the forge does not answer. */
  unreachable: 5,
  /** Ctrl-C, as a shell has it. */
  interrupted: 130,
} as const;

/**
 * With `--wait`, for a turn that did not end well although its agent exited with 0, or was stopped. An agent may exit with
 * the same numbers: `--json` tells them apart, by `exitCode` and `reason`.
 */
export const TURN_EXIT = {
  /** The agent said `blocked`. */
  blocked: 10,
  /** It left a STUCK.md. */
  stuck: 11,
  /** It said `failed`, or the orchestrator could not carry the turn out. */
  failed: 12,
  /** It exited without a word. */
  incomplete: 13,
  /** Watchdog, or the limit of a turn. */
  outOfTime: 14,
  /** The run's budget, the day's, or the provider's usage limit. */
  limit: 15,
  /** Sidecar, disk, message queue or history gave out. */
  fault: 16,
  /** Paused, no longer triggered, or closed. */
  calledOff: 17,
} as const;

/** What `sync` exits with: a status each, and those of `TURN_EXIT` where they mean the same. */
export const SYNC_EXIT: Readonly<Record<SyncStatus, number>> = {
  verified: EXIT.ok,
  /** There was nothing to do. */
  unchanged: 18,
  stuck: TURN_EXIT.stuck,
  timeout: TURN_EXIT.outOfTime,
  failed: TURN_EXIT.failed,
};

/** How a turn ended that somebody waited for; `closed`: the run ended with it. */
export type TurnEnd = FrozenReason | 'closed';

export interface EndedTurn {
  /** The agent process's; `null` when it never ran, negative when its container vanished. */
  readonly exitCode: number | null;
  readonly reason: TurnEnd;
  /** Why the orchestrator ended the agent, if it did. */
  readonly stopped: StopReason | null;
  readonly doneStatus: 'success' | 'blocked' | 'failed' | null;
}

const BY_REASON: Readonly<Record<TurnEnd, number>> = {
  done: EXIT.ok,
  blocked: TURN_EXIT.blocked,
  stuck: TURN_EXIT.stuck,
  failed: TURN_EXIT.failed,
  incomplete: TURN_EXIT.incomplete,
  watchdog: TURN_EXIT.outOfTime,
  timeout: TURN_EXIT.outOfTime,
  budget: TURN_EXIT.limit,
  limited: TURN_EXIT.limit,
  sidecar_died: TURN_EXIT.fault,
  disk: TURN_EXIT.fault,
  queue_flood: TURN_EXIT.fault,
  history: TURN_EXIT.fault,
  paused: TURN_EXIT.calledOff,
  untriggered: TURN_EXIT.calledOff,
  unserved: TURN_EXIT.calledOff,
  closed: TURN_EXIT.calledOff,
};

/** Exit codes of a process that was asked to end, or was killed. */
const BY_SIGNAL: readonly number[] = [137, 143];

/** The exit status of `--wait`: 0 only for a turn that ended `done`. */
export function exitOfTurn({ exitCode, reason, stopped, doneStatus }: EndedTurn): number {
  // An agent that lingers after `signal_done` is stopped, too. What our signal made it exit with is not its word.
  const byUs = stopped !== null || (doneStatus !== null && exitCode !== null && BY_SIGNAL.includes(exitCode));
  if (exitCode !== null && exitCode > 0 && !byUs) return exitCode;
  // What it was to do is gone from the forge: the run is as done as before, but this turn was not run.
  if (reason === 'done' && exitCode === null) return EXIT.failed;
  return BY_REASON[reason];
}
