import type { RepoRef } from '../forge/issue.js';
import type { OpencodeEnv } from './opencode-env.js';
import type { OpencodeOrder, SyncRefs } from './sync.js';

/** What git does for a sync, in the fork's mirror. Errors: `GitError`. */
export interface ForkGit {
  /** Fetches both remotes; branch names come from their HEADs. @param upstream http(s) address */
  refreshFork(fork: RepoRef, upstream: string): Promise<SyncRefs>;
  /** `git rev-list --count <to> --not <from>` */
  countCommits(fork: RepoRef, from: string, to: string): Promise<number>;
  /** Writes a bundle with exactly these refs, by full name, to `file`. */
  writeRefs(fork: RepoRef, refs: ReadonlyMap<string, string>, file: string): Promise<void>;
}

/** `$XDG_STATE_HOME/forklift/runs` on the worker's machine [S3]. */
export interface SyncDirectories {
  /**
   * Makes `<project>_<YYYYMMDD_HHMMSS>`, or finds the one that the same run has made; when another run has that second,
   * the next free one. Answers its absolute path. `workspace/` and `harness-state/` are made with the run's other files.
   */
  make(project: string, slug: string, at: number): Promise<string>;
  /** Adds to `metadata.json`. @throws InvalidInputError for what is no run directory */
  describe(runDir: string, metadata: Readonly<Record<string, unknown>>): Promise<void>;
  workspaceOf(runDir: string): string;
  harnessStateOf(runDir: string): string;
}

/**
 * The operator's `opencode.env`, read anew each time. Errors: `InvalidInputError` when it is missing, readable by others, or
 * wrong; never with a value.
 */
export type ReadOpencodeEnv = (order: OpencodeOrder) => OpencodeEnv;
