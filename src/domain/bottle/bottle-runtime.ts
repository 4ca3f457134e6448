import type { BuiltImage, ImageBuildSpec } from './bottle-image.js';

/** What every agent's container is started with, whatever anybody configures; an image without it is no bottle's. */
export const AGENT_ENTRYPOINT = '/usr/local/bin/bottle-entrypoint';

export interface ContainerState {
  readonly id: string;
  readonly imageId: string;
  readonly status: 'created' | 'running' | 'exited' | 'dead' | 'paused' | 'restarting' | 'removing';
  /** ISO 8601 with nanoseconds as the engine gives it; changes with every start; the zero time before the first. */
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly exitCode: number;
  readonly oomKilled: boolean;
}

export interface ResourceLimits {
  readonly memoryBytes: number;
  readonly cpus: number;
  readonly pids: number;
}

/** The agent's container of a run. Everything not named here is fixed by the adapter, the hard way. */
export interface AgentContainerSpec {
  readonly slug: string;
  readonly image: string;
  /** Host directories. */
  readonly workspaceDir: string;
  readonly turnDir: string;
  /** Mounted read-only at `CURRENT_CONFIG_DIR`. */
  readonly configDir: string;
  /** A host directory as the agent's home, in the place of the volume. */
  readonly homeDir?: string;
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
  /** Host file with the forge token, mounted read-only; `null` for a run without a forge. */
  readonly tokenFile: string | null;
  /** Host directory with the secrets of the run's routes, a file each, mounted read-only. */
  readonly secretsDir: string;
  /** The same directory as the agent's, read again whenever it changes. */
  readonly configDir: string;
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
  /** `0:0` only for removing or measuring a tree; such a container has no network and what capabilities that takes. */
  readonly user: 'agent' | 'remover' | 'reader';
  readonly mounts: readonly {
    readonly source: string;
    readonly target: string;
    readonly readOnly: boolean;
  }[];
  /** Volumes of the run, which must be there: the engine would make up a missing one. */
  readonly volumes?: readonly {
    readonly kind: 'sock' | 'home';
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
  /** One object of `list`, whatever its role. A volume in use is an error. */
  removeObject(object: Pick<OwnedObject, 'type' | 'name' | 'slug' | 'role'>): Promise<void>;
  /** Resolves with the exit code when the container is not running. */
  waitForExit(slug: string, role: ContainerRole, signal: AbortSignal): Promise<number>;
  /**
   * Output behind a position, until the container stops or the signal aborts; each stream's lines in their order.
   * Answers whether some of it may never have been given: the engine keeps the last of a flood only, and waits for no
   * reader.
   * @param onCaughtUp called when all that was there at the call has been given
   */
  followLogs(
    slug: string,
    role: ContainerRole,
    since: LogPosition,
    signal: AbortSignal,
    onLine: (line: LogLine) => void,
    onCaughtUp?: () => void,
  ): Promise<{ readonly mayHaveGap: boolean }>;
  /** Every container and volume with our labels and of this host, optionally of one run. */
  list(slug?: string): Promise<OwnedObject[]>;
  /** Slugs of this host's runs whose agent runs now. */
  runningAgents(): Promise<readonly string[]>;
  /** The container is gone afterwards, also when the signal aborts. */
  runOnce(spec: OneShotSpec, signal?: AbortSignal): Promise<OneShotResult>;
  /** Whether the engine has an OCI runtime of that name. */
  knowsRuntime(name: string): Promise<boolean>;
  /** Tar of a path in a stopped container, cut at the cap (then `truncated`); `undefined` when the path is not there. */
  archive(
    slug: string,
    role: ContainerRole,
    path: string,
    maxBytes: number,
  ): Promise<{ readonly tar: Uint8Array; readonly truncated: boolean } | undefined>;
  /** Uploads a tar into a stopped container below the path. */
  restore(slug: string, role: ContainerRole, path: string, tar: Uint8Array): Promise<void>;
  /**
   * Builds the image of a bottle's own Dockerfile, or finds it built, also by a caller of the same moment. It has our
   * entrypoint and user, or is an error. Errors: `ImageBuildError`, final; an `AbortError` when the signal aborts: the next
   * call goes on from the layers that are done.
   */
  buildImage(spec: ImageBuildSpec, signal: AbortSignal): Promise<BuiltImage>;
  /** Keeps the image for the run, whatever becomes of its names, and answers its id. A final error when there is none. */
  pinImage(slug: string, image: string): Promise<string>;
  /** The end of `pinImage`: an image without another name goes. */
  unpinImage(slug: string): Promise<void>;
  /** Slugs of this host's runs that an image is kept for. */
  pinnedRuns(): Promise<readonly string[]>;
}

export type ContainerRole = 'agent' | 'bundle';

export interface LogLine {
  readonly stream: 'stdout' | 'stderr';
  readonly at: string;
  readonly text: string;
}

/**
 * Engine time of the last line seen of each stream (ISO 8601, exclusive), `null` before the first. The engine stamps the
 * two in two threads, so a line may come behind a younger one of the other stream.
 */
export type LogPosition = Readonly<Record<LogLine['stream'], string | null>>;

/** Behind everything that is not younger; `null` is the beginning. */
export function positionAt(time: string | null): LogPosition {
  return { stdout: time, stderr: time };
}

export interface OwnedObject {
  readonly type: 'container' | 'volume';
  readonly name: string;
  readonly slug: string;
  readonly role: string;
  readonly running: boolean;
  readonly createdAt: string;
}
