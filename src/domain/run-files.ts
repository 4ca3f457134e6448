import type { LogLine } from './bottle-runtime.js';
import type { TurnRefs } from './git-repository.js';
import type { DoneStatus, StopReason } from './turn.js';

export interface RunPaths {
  readonly root: string;
  readonly workspace: string;
  readonly turnInput: string;
  readonly queueOut: string;
  readonly queueIn: string;
  readonly bundleToken: string;
  readonly bundleSecrets: string;
  readonly currentConfig: string;
  readonly transcript: string;
}

/** State of a turn that must outlive the worker that watches it. */
export interface TurnRecord {
  readonly turn: number;
  /** The agent container's `startedAt` before this turn started it: tells this turn's exit from the last one's. */
  readonly previousStart: string;
  readonly refs: TurnRefs | null;
  /** The commit this turn's work is checked against. */
  readonly baseSha: string | null;
  readonly logSince: string | null;
  readonly lastCheckinAt: number;
  readonly done: {
    readonly id: string;
    readonly status: DoneStatus;
    readonly summary: string;
    readonly at: number;
  } | null;
  readonly sidecarRestarts: number;
  /** Milliseconds the turn was held for the operator: not counted against its limit. */
  readonly heldMs: number;
  readonly stopped: StopReason | null;
  readonly sessionId: string | null;
}

/** `$BOT_BOTTLE_HOME/state/<slug>`: made, read and written here; the workspace inside it is never opened by the host. */
export interface RunFiles {
  paths(slug: string): RunPaths;
  /** Makes the directories; the workspace empty and writable by the agent, everything below a 0700 home. */
  prepare(slug: string): Promise<RunPaths>;
  /** Replaces the turn's input directory as the entrypoint reads it. */
  writeTurnInput(slug: string, input: TurnInput): Promise<void>;
  /** Empties it: a frozen run keeps no copy of the base branch. */
  dropTurnInput(slug: string): Promise<void>;
  /** Copies the forge token, and the named secrets of the operator, to where the bundle mounts them. */
  placeSecrets(slug: string, names: readonly string[]): Promise<void>;
  dropSecrets(slug: string): Promise<void>;
  /** Replaces what agent and bundle see of the bottle's configuration; a file that is the same is left alone. */
  writeCurrentConfig(slug: string, files: Readonly<Record<string, string>>): Promise<void>;
  readTurn(slug: string, turn: number): Promise<TurnRecord | undefined>;
  /** Durable: written to a temporary name, synced, renamed. */
  writeTurn(slug: string, record: TurnRecord): Promise<void>;
  appendLog(slug: string, turn: number, lines: readonly LogLine[]): Promise<void>;
  appendOperations(slug: string, turn: number, lines: readonly string[]): Promise<void>;
  readOperations(slug: string, turn: number): Promise<string>;
  saveFile(slug: string, relativePath: string, content: Uint8Array | string): Promise<string>;
  readFile(slug: string, relativePath: string): Promise<Uint8Array | undefined>;
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
  readonly wantsForge: boolean;
  readonly resetTo: string | null;
  /** Anything a provider wants beside it, as JSON. */
  readonly turnJson: Readonly<Record<string, unknown>>;
}

/** Content that is too big or too private for the workflow's history; the reference is its SHA-256. */
export interface BlobStore {
  put(content: string | Uint8Array): Promise<string>;
  getText(ref: string): Promise<string>;
}
