import type { RepoRef } from '../forge/issue.js';
import type { TurnSubmodules } from './submodules.js';
import type { NamedText, SecretScanReport } from '../secret/secret-scanner.js';

export interface TurnRefs {
  /** Commit the run's branch starts from on the first turn, or stands on at the forge later. */
  readonly startSha: string;
  /** The base branch's name and tip. */
  readonly baseBranch: string;
  readonly baseSha: string;
  /** The run's branch as it is on the forge, when it is there. */
  readonly branchSha: string | null;
}

/** What the forge has of a repository's branches. */
export interface ForgeBranches {
  /** `null` for an empty repository. */
  readonly defaultBranch: string | null;
  /** Branch name to commit id: those that were asked for as they are now, all others as they were seen last. */
  readonly branches: ReadonlyMap<string, string>;
}

export interface SubmoduleRules {
  /** `owner/name` that are read with the bot's rights; all others must be readable by everybody. */
  readonly named: readonly string[];
  /** Directories that are checked out; empty for everything. */
  readonly sparse: readonly string[];
}

export interface GitRepository {
  /**
   * Brings the mirror of the repository up to date and reads the refs a turn needs. The base is the first name (an
   * issue's `ref`, a manifest's base) that is a branch on the forge, else the default branch: see `TurnRefs.baseBranch`.
   * @param fork where the run's branch is, if not in the repository itself
   * Errors: `GitError`, also when the signal ends it.
   */
  refresh(
    repo: RepoRef,
    branch: string,
    baseBranches: readonly string[],
    fork?: RepoRef,
    signal?: AbortSignal,
  ): Promise<TurnRefs>;
  /**
   * Commits where a history of `depth` commits from the turn's refs ends, as `git clone --depth` counts: those that have
   * parents beyond it. It is deeper where base and branch would have nothing in common otherwise.
   */
  boundary(repo: RepoRef, refs: TurnRefs, depth: number): Promise<readonly string[]>;
  /**
   * Writes a bundle with `refs/base/<base>` and `refs/pr/<branch>` as the mirror has them to `file`. It leaves out what is
   * behind the commits of `boundary`: only a repository that has these in its `shallow` file can take it.
   */
  writeRefsBundle(
    repo: RepoRef,
    refs: TurnRefs,
    branch: string,
    file: string,
    boundary?: readonly string[],
  ): Promise<void>;
  /**
   * Fetches the submodules of the turn's start, each into a mirror of its own, and writes a bundle of each to
   * `directory`: its commit as `refs/submodule/<commit>`, without history, and the one that the base records. What the
   * forge refuses, or this product does, is left out with a reason.
   */
  writeSubmodules(
    repo: RepoRef,
    refs: TurnRefs,
    directory: string,
    rules: SubmoduleRules,
  ): Promise<TurnSubmodules>;
  /**
   * Brings the mirror up to date with these branches, for who begins a publish before its bundle is there. Errors: `GitError`,
   * also when the signal ends it.
   */
  branches(repo: RepoRef, names: readonly string[], signal?: AbortSignal): Promise<ForgeBranches>;
  /**
   * The checks of the publish gate that are git's: fetches the bundle's one ref into a quarantine with fsck, compares
   * ancestry, authors, sizes and changed paths, scans for secrets, and pushes by commit id, never forced. The quarantine is gone afterwards.
   */
  publish(request: GitPublishRequest): Promise<GitPublishVerdict>;
  /** Removes what crashes have left of quarantines. Answers how many there were. */
  removeLeftBehind(): Promise<number>;
  /** Blob of a file at the root of each commit of the mirror that has it. Errors: `GitError`. */
  blobsOf(repo: RepoRef, path: string, commits: readonly string[]): Promise<readonly string[]>;
  /** `false` for an ancestor that is not there. Errors: `GitError` for a descendant that is not there. */
  isAncestor(repo: RepoRef, ancestor: string, descendant: string): Promise<boolean>;
}

/** The most that is published at once. */
export interface PublishLimits {
  /** Of the bundle, and of the new objects unpacked. */
  readonly maxBytes: number;
  /** That the new commits change. */
  readonly maxFiles: number;
  readonly maxCommits: number;
  /** Of one file. */
  readonly maxFileBytes: number;
}

export interface GitPublishRequest extends PublishLimits {
  readonly repo: RepoRef;
  /** Where the branch is pushed to, if not to the repository itself; it is a run's own branch then. */
  readonly fork?: RepoRef;
  readonly branch: string;
  /** What it is called in the bundle, if not the same. */
  readonly bundledAs?: string;
  readonly bundleFile: string;
  /** What the new commits must build on: the newest commit of the run that may not be rewritten any more. */
  readonly baseSha: string;
  /** Branch the pull request goes to; without it the default branch. */
  readonly baseBranch?: string;
  /**
   * A commit of the mirror that the new ones must contain, and whose history counts as known: what the repository is a fork
   * of. Protected paths may be as they are there.
   */
  readonly upstreamSha?: string;
  /** Patterns of protected paths that may change all the same: see `isAllowedPath`. */
  readonly allowPaths: readonly string[];
  /** `owner/name` of submodules that are read with the bot's rights: see `SubmoduleRules`. */
  readonly submoduleRepos: readonly string[];
  /** The only author and committer that new commits may have. */
  readonly author: { readonly name: string; readonly email: string };
  /** What is published along with the commits, and is scanned for secrets with them. */
  readonly texts: readonly NamedText[];
  /** What was just read of `repo`: the first try does not read it again. */
  readonly seen?: ForgeBranches | undefined;
  /** Asked directly before each push, as the checks take minutes: why not to push, which is then the refusal. */
  readonly objection?: () => Promise<string | undefined>;
  /** Aborted when nobody wants the commits published any more: what has not been pushed then is not. */
  readonly signal?: AbortSignal | undefined;
}

export type GitPublishVerdict =
  | { readonly kind: 'pushed'; readonly head: string; readonly secretScan: SecretScanReport }
  /** Nothing to push. `onForge`: the branch is there and has the commits, as after a push that is repeated. */
  | { readonly kind: 'unchanged'; readonly head: string; readonly onForge: boolean }
  | {
      readonly kind: 'refused';
      readonly reason: string;
      /** Set when the commits came as far as the scan. */
      readonly secretScan?: SecretScanReport;
    };
