import type { ReportedUse } from '../agent/agent-stream.js';
import type { LogLine } from '../bottle/bottle-runtime.js';
import type { TurnRefs } from '../workspace/git-repository.js';
import type { PlacedSubmodule } from '../workspace/submodules.js';
import type { DiskUsage } from '../bottle/disk-usage.js';
import type { DoneStatus, StopReason } from './turn.js';
import type { SecretNeed } from '../secret/secret-need.js';

/** In the directory of a run without an issue: a git bundle of its branch, which stays when the run is destroyed. */
export const WORK_BUNDLE = 'work.bundle';
/** Of any other run, after its end: commits that are on no branch of the forge. */
export const UNPUBLISHED_BUNDLE = 'unpublished.bundle';

/** The same of what was left here by a move, of any run, which goes on: its end has a file of its own. @param move from 1 */
export function leftBundle(move: number): string {
  return `unpublished-${String(move)}.bundle`;
}

/** In a run's directory: commits that nobody else may have. */
export function isKeptBundle(name: string): boolean {
  return name === WORK_BUNDLE || name === UNPUBLISHED_BUNDLE || /^unpublished-\d+\.bundle$/.test(name);
}

export interface RunPaths {
  readonly root: string;
  readonly workspace: string;
  /** The agent's home, where that is no volume. */
  readonly home?: string;
  readonly turnInput: string;
  readonly queueOut: string;
  readonly queueIn: string;
  readonly bundleToken: string;
  readonly bundleSecrets: string;
  readonly currentConfig: string;
  readonly transcript: string;
}

/** Of what a run keeps between turns: the agent's working directory, and the volume with its home. */
export const LOST_PARTS = ['workspace', 'home'] as const;
export type LostPart = (typeof LOST_PARTS)[number];

/** State of a turn that must outlive the worker that watches it. */
export interface TurnRecord {
  readonly turn: number;
  /** The agent container's `startedAt` before this turn started it: tells this turn's exit from the last one's. */
  readonly previousStart: string;
  readonly refs: TurnRefs | null;
  /** The commit this turn's work is checked against. */
  readonly baseSha: string | null;
  /** Hashes of `STUCK.md` in the refs, which need no help of a person; not there when an older version began the turn. */
  readonly knownStuck?: readonly string[] | undefined;
  /** Where this turn's output begins in the container's log, ISO 8601; `null` is the log's beginning. */
  readonly logSince: string | null;
  readonly lastCheckinAt: number;
  readonly done: {
    readonly id: string;
    readonly status: DoneStatus;
    readonly summary: string;
    readonly at: number;
  } | null;
  readonly sidecarRestarts: number;
  /** Milliseconds the turn was held for the operator, or its machine slept: not counted against its limit. */
  readonly heldMs: number;
  /** Of that, what it was held for the operator. */
  readonly askedMs: number;
  readonly stopped: StopReason | null;
  /** For people: what was seen when the turn was stopped. */
  readonly stopDetail: string | null;
  /** Why a message of it is not tried again: the turn is over. */
  readonly setAside: string | null;
  /** What the run held on disk, at most, when it was last looked at. */
  readonly disk: { readonly held: DiskUsage } | null;
  /** The CLI that works in it; `null` while the turn has not begun. */
  readonly provider: { readonly name: string; readonly version: string | null } | null;
  readonly sessionId: string | null;
  /** What was gone when it began, and was made anew. */
  readonly lost: readonly LostPart[];
  /** What the CLI had printed of its use when the turn ended, as it printed it. */
  readonly reported: ReportedUse | null;
}

/** Directories of a run that go with it. Times are epoch milliseconds. */
export interface RunLeftover {
  readonly slug: string;
  /** When something was last made or removed directly below the run's directory. */
  readonly changedAt: number;
  /** When the sidecar's token or a secret was last placed; `null` when none is there. */
  readonly secretsAt: number | null;
}

/** Output of an agent for which its log had no room. */
export interface DroppedLog {
  readonly lines: number;
  readonly bytes: number;
}

/** What is not in a turn's log. */
export interface MissingLog extends DroppedLog {
  /** The engine may have let go of lines before they were read. */
  readonly mayHaveGap: boolean;
}

/** `$BOT_BOTTLE_HOME/state/<slug>`: made, read and written here; the workspace inside it is never opened by the host. */
export interface RunFiles {
  paths(slug: string): RunPaths;
  /**
   * Makes the directories; the workspace empty and writable by the agent, everything below a 0700 home. `isNew`: the
   * workspace was not there.
   */
  prepare(slug: string): Promise<RunPaths & { readonly isNew: boolean }>;
  /** Replaces the turn's input directory as the entrypoint reads it. */
  writeTurnInput(slug: string, input: TurnInput): Promise<void>;
  /** Empties it: a frozen run keeps no copy of the base branch. */
  dropTurnInput(slug: string): Promise<void>;
  /**
   * Copies the secrets that routes need, and the forge token for a run that has a forge, to where the bundle mounts them. Errors:
   * `InvalidInputError` for a secret that is missing, or that the operator has not bound to where it would be sent.
   */
  placeSecrets(
    slug: string,
    needs: readonly SecretNeed[],
    also?: { readonly forgeToken: boolean },
  ): Promise<void>;
  dropSecrets(slug: string): Promise<void>;
  /** Replaces what agent and bundle see of the bottle's configuration; a file that is the same is left alone. */
  writeCurrentConfig(slug: string, files: Readonly<Record<string, string>>): Promise<void>;
  readTurn(slug: string, turn: number): Promise<TurnRecord | undefined>;
  /** Durable: written to a temporary name, synced, renamed. */
  writeTurn(slug: string, record: TurnRecord): Promise<void>;
  /** Up to a cap of the turn and one of the run. Answers what was not kept. */
  appendLog(slug: string, turn: number, lines: readonly LogLine[]): Promise<DroppedLog>;
  /** Says at the end of a turn's log how much of it is missing. */
  noteMissingLog(slug: string, turn: number, missing: MissingLog): Promise<void>;
  appendOperations(slug: string, turn: number, lines: readonly string[]): Promise<void>;
  readOperations(slug: string, turn: number): Promise<string>;
  saveFile(slug: string, relativePath: string, content: Uint8Array | string): Promise<string>;
  readFile(slug: string, relativePath: string): Promise<Uint8Array | undefined>;
  /** Names of the regular files directly in a directory of the run, in no order; none when it is not there. */
  listFiles(slug: string, relativePath: string): Promise<readonly string[]>;
  /** Removing what is not there is fine. */
  removeFile(slug: string, relativePath: string): Promise<void>;
  /** Runs that have more than what is kept of ended ones, by slug. */
  leftovers(): Promise<readonly RunLeftover[]>;
  /** Removes what the host itself wrote and does not keep (inputs, queue, the emptied workspace directory). */
  removeTransient(slug: string): Promise<void>;
}

export interface TurnInput {
  readonly turn: number;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly prompt: string;
  readonly branch: string;
  readonly start: string;
  readonly gitUser: { readonly name: string; readonly email: string };
  readonly wantsSidecar: boolean;
  /** The bottle has an allowlist or routes: their proxies are on the agent's loopback. */
  readonly wantsEgress: boolean;
  readonly resetTo: string | null;
  /** Commits whose parents the workspace does not get; empty for the whole history. */
  readonly shallow: readonly string[];
  /** Directories that are checked out; empty for everything. */
  readonly sparse: readonly string[];
  /** What is checked out in the places of submodules; their bundles are in the same directory. */
  readonly submodules: readonly PlacedSubmodule[];
  /** Text by path below the agent's home: configuration of its clients. */
  readonly home: Readonly<Record<string, string>>;
  /** Text by name: what the agent's CLI is pointed at, in the directory `files`. */
  readonly files: Readonly<Record<string, string>>;
  /** Script that is run once for a run. */
  readonly setup: string | null;
  /** Anything a provider wants beside it, as JSON. */
  readonly turnJson: Readonly<Record<string, unknown>>;
}

/** Content that is too big or too private for the workflow's history; the reference is its SHA-256. */
export interface BlobStore {
  put(content: string | Uint8Array): Promise<string>;
  getText(ref: string): Promise<string>;
}
