import type { EgressRules, RegistryKind } from '../egress/route.js';

/** How the repository is laid out for the agent. */
export interface WorkspaceOptions {
  /** Commits of history; `null` for all of it. */
  readonly depth: number | null;
  /** Directories that are checked out (git's cone mode); empty for everything. */
  readonly sparse: readonly string[];
  readonly submodules: boolean;
  /** `owner/name` of submodules that are read with the bot's rights; others must be readable by everybody. */
  readonly submoduleRepos: readonly string[];
  /** The repository has files of Git LFS: the agent is told that they are pointers. */
  readonly lfs: boolean;
}

/**
 * What a bottle's manifest asks of the host beside the plain fields of `PreparedTurn`: too much for the workflow's
 * history, so it travels as a blob.
 */
export interface BottleSetup extends EgressRules {
  /** Text of the bottle's own Dockerfile; its image replaces the provider's. */
  readonly dockerfile: string | null;
  readonly registries: readonly RegistryKind[];
  /** Shell script, run once in the bottle before the first turn. */
  readonly setup: string | null;
  readonly workspace: WorkspaceOptions;
  /** OCI runtime, such as `runsc`; `null` for the host's setting. */
  readonly runtime: string | null;
}

/** The setup of one turn. */
export interface TurnBottle extends BottleSetup {
  /** Logins of those whose texts on the forge the agent may read in it; `null`: everybody's. */
  readonly readers: readonly string[] | null;
}

export const WHOLE_REPOSITORY: WorkspaceOptions = {
  depth: null,
  sparse: [],
  submodules: false,
  submoduleRepos: [],
  lfs: false,
};
