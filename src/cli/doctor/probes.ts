import type { AgentStanding } from '../../domain/agent/agent-standing.js';
import type { DiskSpace, DiskUsage } from '../../domain/bottle/disk-usage.js';
import type { PartEnd } from '../../domain/upkeep/part-ends.js';
import type { PauseRow } from '../../domain/run/pause.js';
import type { PublishPlace } from '../../domain/forge/forks.js';
import type { StuckWork } from '../../domain/upkeep/stuck-work.js';

export interface ImageFound {
  readonly name: string;
  /** `null` when the engine has none of that name. */
  readonly id: string | null;
}

export interface AgentImage extends ImageFound {
  /** An agent that people are offered is made from it. */
  readonly needed: boolean;
}

/** What `doctor` can look at. A probe answers with what it saw; whether that is good is decided by the checks. */
export interface DoctorProbes {
  /** `20.19.0` */
  nodeVersion(): string;
  home(): {
    readonly path: string;
    readonly exists: boolean;
    readonly mode: number;
    readonly writable: boolean;
  };
  /** Throws with every problem of the configuration; resolves with its warnings. */
  configWarnings(): readonly string[];
  /** The secrets that the configuration leads to. */
  secrets(): readonly {
    readonly name: string;
    readonly file: string;
    readonly state: 'set' | 'missing' | 'unusable';
    readonly reason?: string;
  }[];
  /** Id of the key that signs the record; `null` before the first signature. Throws when it cannot sign. */
  signingKey(): string | null;
  engine(): Promise<EngineFacts>;
  /** Containers and volumes of this home that are not as bottles are made, with what is wrong in words that follow the name. */
  weakBottles(): Promise<readonly { readonly name: string; readonly weaknesses: readonly string[] }[]>;
  /** The container runtime that the configuration asks for; `null` is the engine's own. */
  containerRuntime(): string | null;
  /** Every agent that a label can name. */
  agents(): Promise<readonly AgentStanding[]>;
  /** The sidecar's image, and those of the providers and of agents that can run. */
  images(): Promise<{ readonly bundle: ImageFound; readonly agents: readonly AgentImage[] }>;
  /** What `git --version` prints. */
  gitVersion(): Promise<string>;
  temporal(): Promise<
    { readonly address: string } & (
      | { readonly version: string; readonly missingSearchAttributes: readonly string[] }
      /** It does not answer. */
      | { readonly problem: string }
    )
  >;
  /** Asks Temporal for work that does not go on; `null` when it does not answer. */
  stuckWork(): Promise<StuckWork | null>;
  /** Reaches the forge and reads the token's rights. */
  forge(): Promise<{
    readonly url: string;
    readonly login: string;
    readonly problems: readonly RightsProblem[];
  }>;
  /** The scanner's name with its version, after it has shown that it works; `null` when it is turned off. */
  secretScanner(): Promise<string | null>;
  /** The hooks that are set, and what could not be told by them. */
  notifications(): Promise<{
    readonly command: { readonly path: string; readonly executable: boolean } | null;
    readonly webhook: string | null;
    /** Things that wait, and of which a hook tells no more. */
    readonly givenUp: number;
    readonly failing: number;
  }>;
  /** `FORGE_PUBLISH` */
  publishPlace(): PublishPlace;
  /** What makes CI run in the repositories that are named one by one; `null` where nobody can tell. */
  ciFiles(): Promise<readonly { readonly repo: string; readonly files: readonly string[] }[] | null>;
  /** Parts of `up` that ended by themselves, oldest first. */
  partEnds(): Promise<readonly PartEnd[]>;
  /** What holds new turns back. */
  pauses(): Promise<readonly PauseRow[]>;
  /** The file systems that runs write to, and below what a turn is stopped. */
  disk(): Promise<{ readonly space: DiskSpace; readonly floorBytes: number; readonly quota: DiskUsage }>;
}

export interface EngineFacts {
  readonly version: string;
  /** `1.41` */
  readonly apiVersion: string;
  readonly storageDriver: string;
  /** Whether the engine can cap a container's disk by itself. */
  readonly storageQuota: boolean;
  /** Names of its OCI runtimes. */
  readonly runtimes: readonly string[];
}

export interface RightsProblem {
  readonly severity: 'error' | 'warning';
  /** What is missing or too much, and what to grant. */
  readonly message: string;
}
