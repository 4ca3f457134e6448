import type {
  CheckStatus,
  Comment,
  Issue,
  LinkedPull,
  Permission,
  Place,
  PullRequest,
  RepoRef,
  Repository,
  Review,
  SubjectRef,
  TimelineAct,
  ForgeUser,
} from './issue.js';
import type { ForgeStateRow, OperationRow, RejectionRow, RunRow, TurnRow } from './rows.js';
import type { QueueMessage, QueueAnswer } from './queue.js';
import type { DoneStatus, PublishResult, StopReason } from './turn.js';

// ---------------------------------------------------------------------------------------------------------------
// The forge

/**
 * A Git forge, one instance bound to one repository. Reads answer fresh state; every write may be repeated without a
 * duplicate. Errors: `ForgeHttpError`; `InvalidInputError` for a number that cannot be one, before any request.
 */
export interface Forge {
  readIssue(number: number): Promise<Issue>;
  readPr(number: number): Promise<PullRequest>;
  /** Oldest first. Comments of the issue, or of the PR with that number. */
  readComments(number: number): Promise<Comment[]>;
  readComment(id: number): Promise<Comment>;
  readReviews(prNumber: number): Promise<Review[]>;
  /** Unified diff text. */
  readDiff(prNumber: number): Promise<string>;
  /** CI state of the PR's head. */
  readChecks(prNumber: number): Promise<CheckStatus[]>;
  /** `marker` makes the comment idempotent: a hidden mark searched before posting. */
  postComment(number: number, body: string, marker: string): Promise<Comment>;
  updateDescription(number: number, body: string): Promise<void>;
  isOrgMember(org: string, login: string): Promise<boolean>;
  permissionOf(login: string): Promise<Permission>;
  /** Open PR whose head branch is `branch` in this repository. */
  findOpenPrByHead(branch: string): Promise<PullRequest | undefined>;
  /** The run's PR of an issue: `knownPr` (from the state row) else an open PR from a head `bot-bottle/<issue>-*`. */
  getPrForIssue(issue: number, knownPr: number | null): Promise<PullRequest | undefined>;
  /** Derived from `readPr`. */
  isPrOpen(number: number): Promise<boolean>;
  /** Adopts an open PR from the same head instead of failing. */
  openPr(input: OpenPrInput): Promise<PullRequest>;
  requestReview(prNumber: number, login: string): Promise<void>;
  readTimeline(number: number): Promise<TimelineAct[]>;
  /** Open pull requests that name the issue. */
  readLinkedPulls(number: number): Promise<LinkedPull[]>;
  /** Where the repository with this id is now; `undefined` when it is gone, or hidden from us. */
  whereIs(repoId: number): Promise<Place | undefined>;
  readRepository(): Promise<Repository>;
  /** Adds a reaction of the token's user once. */
  react(number: number, reaction: ForgeReaction): Promise<void>;
  whoAmI(): Promise<ForgeUser>;
}

export type ForgeReaction = 'eyes' | 'confused';

export interface OpenPrInput {
  readonly title: string;
  readonly body: string;
  readonly head: string;
  readonly base: string;
}

/** Binds a forge to a repository. */
export type ForgeFor = (repo: RepoRef) => Forge;

// ---------------------------------------------------------------------------------------------------------------
// Containers

export interface EngineInfo {
  readonly version: string;
  readonly apiVersion: string;
}

export interface ContainerState {
  readonly name: string;
  readonly id: string;
  readonly imageId: string;
  readonly status: 'created' | 'running' | 'exited' | 'dead' | 'paused' | 'restarting' | 'removing';
  /** ISO 8601 with nanoseconds as the engine gives it; changes with every start; the zero time before the first. */
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly exitCode: number;
  readonly oomKilled: boolean;
  readonly labels: Readonly<Record<string, string>>;
}

export interface ResourceLimits {
  readonly memoryBytes: number;
  readonly cpus: number;
  readonly pids: number;
}

/** The agent's container of a run. Everything not named here is fixed by the adapter, the hard way (security rules). */
export interface AgentContainerSpec {
  readonly slug: string;
  readonly image: string;
  /** Host directories. */
  readonly workspaceDir: string;
  readonly turnDir: string;
  readonly limits: ResourceLimits;
  readonly env: Readonly<Record<string, string>>;
  readonly runtime?: string;
}

/** The sidecar bundle's container of a run. */
export interface BundleContainerSpec {
  readonly slug: string;
  readonly image: string;
  readonly queueOutDir: string;
  readonly queueInDir: string;
  /** Host file with the forge token, mounted read-only; the one secret of the bundle. */
  readonly tokenFile: string;
  /** Extra CA certificates, PEM. */
  readonly caFile: string | null;
  /** Directory with the Unix socket that stands for a forge on the host's loopback. */
  readonly loopbackDir: string | null;
  /** Docker network name, never `host`. */
  readonly network: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A throw-away container: runs, its standard output is taken up to a cap, it is gone. */
export interface OneShotSpec {
  readonly name: string;
  readonly slug: string;
  readonly image: string;
  readonly argv: readonly string[];
  /** `0:0` only for removing a tree; such a container still has no network and one capability. */
  readonly user: 'agent' | 'remover';
  readonly mounts: readonly {
    readonly source: string;
    readonly target: string;
    readonly readOnly: boolean;
  }[];
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Standard output beyond this is an error. */
  readonly maxOutputBytes: number;
}

export interface OneShotResult {
  readonly exitCode: number;
  readonly stdout: Uint8Array;
  readonly stderr: string;
}

/**
 * A container engine. Names derive from the slug, so every call may be repeated: create adopts, remove of what is
 * gone is done. Errors: `BottleRuntimeError`.
 */
export interface BottleRuntime {
  info(): Promise<EngineInfo>;
  /** Creates the socket and home volumes and the bundle container (stopped), or adopts them. */
  createBundle(spec: BundleContainerSpec): Promise<ContainerState>;
  /** Creates the agent container (stopped), or adopts it. The bundle must have been created first: it owns the socket volume. */
  createAgent(spec: AgentContainerSpec): Promise<ContainerState>;
  inspect(slug: string, role: ContainerRole): Promise<ContainerState | undefined>;
  /** No effect when it runs already. */
  start(slug: string, role: ContainerRole): Promise<ContainerState>;
  /** SIGTERM, then SIGKILL after the grace. No effect when it does not run or is gone. */
  stop(slug: string, role: ContainerRole, graceSeconds: number): Promise<void>;
  remove(slug: string, role: ContainerRole): Promise<void>;
  removeVolumes(slug: string): Promise<void>;
  /** Resolves with the exit code when the container is not running. */
  waitForExit(slug: string, role: ContainerRole, signal: AbortSignal): Promise<number>;
  /** Output since an engine time stamp (ISO 8601, exclusive), until the container stops or the signal aborts. */
  followLogs(
    slug: string,
    role: ContainerRole,
    since: string | null,
    signal: AbortSignal,
    onLine: (line: LogLine) => void,
  ): Promise<void>;
  /** Every container and volume with our labels and of this host, optionally of one run. */
  list(slug?: string): Promise<OwnedObject[]>;
  runOnce(spec: OneShotSpec): Promise<OneShotResult>;
  /** Tar of a path in a stopped container, cut at the cap (then `truncated`); `undefined` when the path is not there. */
  archive(
    slug: string,
    role: ContainerRole,
    path: string,
    maxBytes: number,
  ): Promise<{ readonly tar: Uint8Array; readonly truncated: boolean } | undefined>;
  /** Uploads a tar into a stopped container below the path. */
  restore(slug: string, role: ContainerRole, path: string, tar: Uint8Array): Promise<void>;
  imageId(image: string): Promise<string | undefined>;
}

export type ContainerRole = 'agent' | 'bundle';

export interface LogLine {
  readonly stream: 'stdout' | 'stderr';
  readonly at: string;
  readonly text: string;
}

export interface OwnedObject {
  readonly type: 'container' | 'volume';
  readonly name: string;
  readonly slug: string;
  readonly role: string;
  readonly running: boolean;
  readonly createdAt: string;
}

// ---------------------------------------------------------------------------------------------------------------
// Git, on our own repositories only

export interface TurnRefs {
  /** Commit the run's branch starts from on the first turn, or stands on at the forge later. */
  readonly startSha: string;
  /** The base branch's name and tip. */
  readonly baseBranch: string;
  readonly baseSha: string;
  /** The run's branch as it is on the forge, when it is there. */
  readonly branchSha: string | null;
}

export interface GitRepository {
  /**
   * Brings the mirror of the repository up to date and reads the refs a turn needs. The base is the first name (an
   * issue's `ref`, a manifest's base) that is a branch on the forge, else the default branch: see `TurnRefs.baseBranch`.
   */
  refresh(repo: RepoRef, branch: string, baseBranch: string | readonly string[] | null): Promise<TurnRefs>;
  /** Writes a bundle with `refs/base/<base>` and `refs/pr/<branch>` as the mirror has them to `file`. */
  writeRefsBundle(repo: RepoRef, refs: TurnRefs, branch: string, file: string): Promise<void>;
  /**
   * The checks of the publish gate that are git's: fetches the bundle's one ref into a quarantine with fsck, compares
   * ancestry and changed paths, and pushes by commit id, never forced. The quarantine is gone afterwards.
   */
  publish(request: GitPublishRequest): Promise<GitPublishVerdict>;
  isAncestor(repo: RepoRef, ancestor: string, descendant: string): Promise<boolean>;
}

export interface GitPublishRequest {
  readonly repo: RepoRef;
  readonly branch: string;
  readonly bundleFile: string;
  /** Commit the turn started from: must be an ancestor of the new head. */
  readonly baseSha: string;
  /** Branch the pull request goes to; without it the default branch. */
  readonly baseBranch?: string;
  /** Most bytes of the bundle, and of the new objects unpacked. */
  readonly maxBytes: number;
  /** Most files that the new commits change. */
  readonly maxFiles: number;
  /** Patterns of protected paths that may change all the same: see `isAllowedPath`. */
  readonly allowPaths: readonly string[];
}

export type GitPublishVerdict =
  | { readonly kind: 'pushed'; readonly head: string; readonly commits: number }
  /** Nothing to push. `onForge`: the branch is there and has the commits, as after a push that is repeated. */
  | { readonly kind: 'unchanged'; readonly head: string; readonly onForge: boolean }
  | { readonly kind: 'refused'; readonly reason: string };

// ---------------------------------------------------------------------------------------------------------------
// The run's files on its host

export interface RunPaths {
  readonly root: string;
  readonly workspace: string;
  readonly turnInput: string;
  readonly queueOut: string;
  readonly queueIn: string;
  readonly bundleToken: string;
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
  /** Copies the forge token to where the bundle mounts it. */
  placeToken(slug: string): Promise<void>;
  dropToken(slug: string): Promise<void>;
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

/** The directories the bundle and the worker talk through. Hostile content is refused, not trusted. */
export interface QueueDirectory {
  /** Messages in name order, at most `QUEUE_DRAIN_LIMIT`; `flood` when there were more. Messages of another slug are dropped. */
  read(slug: string): Promise<QueueRead>;
  /** After delivery: the marker is synced, then the file goes. */
  acknowledge(slug: string, fileName: string): Promise<void>;
  answer(slug: string, answer: QueueAnswer): Promise<void>;
  /** What changes from turn to turn, read by the bundle when it starts: `in/turn.json`. */
  writeTurnHeader(slug: string, header: TurnHeader): Promise<void>;
  /** Calls back soon after the bundle wrote something. Answers how to stop watching. */
  watch(slug: string, onChange: () => void): () => void;
  /** Files of an ended run go to its archive. */
  archive(slug: string): Promise<void>;
}

export interface QueueRead {
  readonly messages: readonly QueueMessage[];
  readonly flood: boolean;
  /** Files that were taken away: no message, or another run's. The name is escaped, the reason fit for a log. */
  readonly refused: readonly { readonly fileName: string; readonly reason: string }[];
}

export interface TurnHeader {
  readonly turn: number;
  readonly prNumber: number | null;
  /** Where the repository is in this turn. */
  readonly owner: string;
  readonly repo: string;
}

/** Content that is too big or too private for the workflow's history; the reference is its SHA-256. */
export interface BlobStore {
  put(content: string | Uint8Array): Promise<string>;
  getText(ref: string): Promise<string>;
}

// ---------------------------------------------------------------------------------------------------------------
// Agents

export interface AgentLaunch {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A coding CLI: how it is started headless and where it keeps its session [S4]. */
export interface AgentProvider {
  readonly name: string;
  readonly image: string;
  /** Paths in the container that hold the session, for the transcript snapshot. */
  readonly sessionPaths: readonly string[];
  /** A session id chosen by us before the first turn, or `null` when the CLI chooses its own. */
  newSessionId(seed: string): string | null;
  /** Command line of one turn; the prompt comes on standard input. `resume` is the session to go on with. */
  launch(options: {
    readonly sessionId: string | null;
    readonly resume: boolean;
    readonly model: string | null;
  }): AgentLaunch;
  /** Session id seen in a line of the agent's output, if any. */
  sessionIdIn(line: string): string | undefined;
  isSessionId(text: string): boolean;
}

export interface AgentManifest {
  readonly name: string;
  readonly provider: string;
  readonly model: string | null;
  readonly bottle: string;
  readonly gitUser: { readonly name: string; readonly email: string };
  readonly prompt: string;
}

export interface BottleManifest {
  readonly name: string;
  readonly image: string | null;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: ResourceLimits;
  readonly publish: {
    readonly allowPaths: readonly string[];
    readonly drafts: boolean;
    readonly base: string | null;
  };
}

export interface Manifests {
  agent(name: string): Promise<AgentManifest | undefined>;
  /** Several are merged left to right: lists joined, scalars from the last. `undefined` when one is unknown. */
  bottle(names: readonly string[]): Promise<BottleManifest | undefined>;
}

// ---------------------------------------------------------------------------------------------------------------
// Stores

/** Issue to slug and status [S0]; key (forge, owner, repo, issue number). */
export interface ForgeStateStore {
  upsert(row: ForgeStateRow): void;
  get(subject: SubjectRef): ForgeStateRow | undefined;
  /** Deleting what is not there is fine. */
  delete(subject: SubjectRef): void;
  /** Ordered by forge, owner, repo, number. */
  all(): ForgeStateRow[];
}

/** The append-only rows provenance is made of. Repeating an append is no second row. */
export interface RunStore {
  appendRun(row: RunRow): void;
  appendTurn(row: TurnRow): void;
  appendOperations(rows: readonly OperationRow[]): void;
  run(slug: string): RunRow | undefined;
  turns(slug: string): TurnRow[];
  operations(slug: string): OperationRow[];
}

/** Triggers that started nothing, for `status --rejected`. Repeating one is no second row. */
export interface RejectionLog {
  add(row: RejectionRow): void;
  close(): void;
}

/** Both stores in one database, so that a step is one transaction. */
export interface Database {
  readonly forgeState: ForgeStateStore;
  readonly runs: RunStore;
  /** `BEGIN IMMEDIATE`; no `await` inside. */
  transaction<T>(work: () => T): T;
  close(): void;
}

// ---------------------------------------------------------------------------------------------------------------
// From the host that runs a turn back to the run's workflow

export interface RunChannel {
  turnStarted(
    workflowId: string,
    message: { readonly slug: string; readonly turn: number; readonly at: number },
  ): Promise<void>;
  signalDone(
    workflowId: string,
    message: {
      readonly slug: string;
      readonly turn: number;
      readonly doneId: string;
      readonly status: DoneStatus;
      readonly summaryRef: string;
    },
  ): Promise<void>;
  /** Runs the publish gate for the agent's `open_pr`; the same request id gives the same answer. */
  openPr(
    workflowId: string,
    message: {
      readonly slug: string;
      readonly turn: number;
      readonly requestId: string;
      readonly contentRef: string;
    },
  ): Promise<PublishResult>;
}

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
}
