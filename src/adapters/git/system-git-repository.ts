import { GitError, InvalidInputError } from '../../domain/base/errors.js';
import type { RepoRef } from '../../domain/forge/issue.js';
import type {
  ForgeBranches,
  GitPublishRequest,
  GitPublishVerdict,
  GitRepository,
  SubmoduleRules,
  TurnRefs,
} from '../../domain/workspace/git-repository.js';
import {
  BASE_NAME_LIMIT,
  branchNamed,
  isBaseName,
  isBranchName,
} from '../../domain/workspace/branch-name.js';
import { issueOfBranch } from '../../domain/run/slug.js';
import type { SecretGuard } from '../../domain/secret/secret-guard.js';
import type { ForkGit } from '../../domain/sync/ports.js';
import type { TurnSubmodules } from '../../domain/workspace/submodules.js';
import { bundleRefs } from './bundle-refs.js';
import { readBundleHeader, type BundleHeader } from './bundle-file.js';
import { FORGE_REFS, isAncestorIn, UPSTREAM_REF } from './check/candidate.js';
import { checkCommits } from './check/check-commits.js';
import { forkGit } from './fork-git.js';
import { plainText } from './git-failure.js';
import { GIT_LIMITS, type GitLimits } from './git-limits.js';
import { localGit } from './local-git.js';
import { MirrorStore, type MirrorStoreOptions } from './mirror-store.js';
import { nameOf } from './remote.js';
import { requireCommits } from './require-commits.js';
import { push } from './push.js';
import { missingCommits } from './check/quarantine.js';
import { depthOfFork, shallowBoundary } from './shallow-boundary.js';
import { SubmoduleSource } from './submodule-source.js';

export interface SystemGitOptions extends MirrorStoreOptions {
  /** Address of the forge's pages, no trailing slash: what an address in `.gitmodules` is held against. */
  readonly webUrl: string;
  /** As `readToken`. */
  readonly publishToken: () => string;
  readonly secrets: SecretGuard;
  /** Milliseconds for one push; 5 minutes by default. git 2.39 waits without end for the rest of a report cut short. */
  readonly pushTimeoutMs?: number;
  /** Of each git process that looks at an agent's commits. */
  readonly limits?: GitLimits;
}

const PUSH_TIMEOUT_MS = 5 * 60_000;
/** Times that a publish starts over because the branch moved between the checks and the push. */
const PUBLISH_ATTEMPTS = 3;

/**
 * `GitRepository` with the system's git (2.32 or later; tried with 2.39) on bare mirrors. No call opens a workspace. Errors: `GitError`,
 * final when the forge refuses the token or has no such repository; `InvalidInputError`.
 */
export class SystemGitRepository implements GitRepository {
  readonly #options: SystemGitOptions;
  readonly #store: MirrorStore;
  readonly #submodules: SubmoduleSource;
  readonly #limits: GitLimits;

  constructor(options: SystemGitOptions) {
    this.#options = options;
    this.#limits = options.limits ?? GIT_LIMITS;
    this.#store = new MirrorStore(options);
    this.#submodules = new SubmoduleSource(this.#store, options.webUrl, this.#limits);
  }

  /** The same mirrors, for forks that are merged with their upstream. */
  forForks(): ForkGit {
    return forkGit(this.#store, this.#options);
  }

  async refresh(
    repo: RepoRef,
    branch: string,
    baseBranches: readonly string[],
    fork?: RepoRef,
    signal?: AbortSignal,
  ): Promise<TurnRefs> {
    if (!isBranchName(branch)) throw new InvalidInputError('not a branch name');
    const candidates = baseBranches.flatMap((ref) => branchNamed(ref) ?? []);
    const { base, branchSha } = await this.#read({ repo, branch, fork, signal }, candidates);
    if (base === undefined)
      throw new GitError(`${nameOf(repo)} has no branch to start from: is it empty?`, false);
    if (!isBaseName(base.name))
      throw new GitError(
        `the default branch ${JSON.stringify(plainText(base.name))} of ${nameOf(repo)} has a name that no run can build on: it may have ${BASE_NAME_LIMIT}, and begins with a letter, a digit or _`,
        false,
      );
    return { startSha: branchSha ?? base.sha, baseBranch: base.name, baseSha: base.sha, branchSha };
  }

  async branches(repo: RepoRef, names: readonly string[], signal?: AbortSignal): Promise<ForgeBranches> {
    return this.#store.mirror(repo).sync({ ...(await this.#store.source(repo)), signal }, names);
  }

  async boundary(repo: RepoRef, refs: TurnRefs, depth: number): Promise<readonly string[]> {
    const tips = [...new Set([refs.baseSha, refs.branchSha ?? refs.baseSha])];
    requireCommits(...tips);
    if (!Number.isSafeInteger(depth) || depth < 1) throw new InvalidInputError('a depth is 1 or more');
    const { dir } = this.#store.mirror(repo);
    return shallowBoundary(dir, tips, Math.max(depth, await depthOfFork(dir, tips)));
  }

  async writeRefsBundle(
    repo: RepoRef,
    refs: TurnRefs,
    branch: string,
    file: string,
    boundary: readonly string[] = [],
  ): Promise<void> {
    if (!isBranchName(branch) || !isBaseName(refs.baseBranch))
      throw new InvalidInputError('not a branch name');
    requireCommits(refs.baseSha, refs.branchSha ?? refs.baseSha, ...boundary);
    const bundled = new Map([[`refs/base/${refs.baseBranch}`, refs.baseSha]]);
    if (refs.branchSha !== null) bundled.set(`refs/pr/${branch}`, refs.branchSha);
    await this.#store.scratch(repo, bundled, (dir) => bundleRefs(dir, bundled.keys(), boundary, file));
  }

  async writeSubmodules(
    repo: RepoRef,
    refs: TurnRefs,
    directory: string,
    rules: SubmoduleRules,
  ): Promise<TurnSubmodules> {
    const [commit, base] = [refs.startSha, refs.baseSha];
    requireCommits(commit, base);
    const alsoOf = base === commit ? [] : [base];
    return this.#submodules.write({ own: repo, commit, alsoOf, directory, ...rules });
  }

  async publish(request: GitPublishRequest): Promise<GitPublishVerdict> {
    const { repo, branch, baseSha, upstreamSha = baseSha } = request;
    if (!isBranchName(branch) || (request.fork !== undefined && issueOfBranch(branch) === undefined))
      return refused(`"${branch}" cannot be the branch of a run`);
    requireCommits(baseSha, upstreamSha);
    const reading = await readBundleHeader(request.bundleFile, request.bundledAs ?? branch, request.maxBytes);
    if (reading.kind === 'refused') return reading;
    for (let attempt = 0; attempt < PUBLISH_ATTEMPTS; attempt += 1) {
      const seen = attempt === 0 ? request.seen : undefined;
      const verdict = await this.#publishOnce({ ...request, seen }, reading.header);
      if (verdict !== 'moved') return verdict;
    }
    throw new GitError(
      `${branch} of ${nameOf(repo)} moved ${String(PUBLISH_ATTEMPTS)} times while it was published`,
      true,
    );
  }

  async blobsOf(repo: RepoRef, path: string, commits: readonly string[]): Promise<readonly string[]> {
    requireCommits(...commits);
    const { dir } = this.#store.mirror(repo);
    const found = await Promise.all(
      commits.map((commit) =>
        localGit(dir, 'reading the mirror', ['ls-tree', '--full-tree', commit, '--', path]),
      ),
    );
    return found.flatMap((line) => /^\d+ blob ([0-9a-f]{40})\t/.exec(line)?.[1] ?? []);
  }

  async isAncestor(repo: RepoRef, ancestor: string, descendant: string): Promise<boolean> {
    requireCommits(ancestor, descendant);
    const mirror = { dir: this.#store.mirror(repo).dir, limits: this.#limits };
    // The mirror has the whole history of what it has. What we pushed it may never have seen, if somebody rewrote the
    // branch before the next fetch.
    const missing = await missingCommits(mirror, [ancestor, descendant]);
    if (missing.includes(ancestor) && !missing.includes(descendant)) return false;
    return isAncestorIn(mirror, ancestor, descendant);
  }

  async #publishOnce(request: GitPublishRequest, header: BundleHeader): Promise<GitPublishVerdict | 'moved'> {
    const { repo, branch, baseBranch } = request;
    const bases = baseBranch === undefined || !isBaseName(baseBranch) ? [] : [baseBranch];
    const { state, base, branchSha } = await this.#read(request, bases);
    if (branch === state.defaultBranch || branch === baseBranch)
      return refused(`"${branch}" is what others build on: an agent's work goes to a branch of its own`);
    const forgeRefs = new Map([...state.branches].map(([name, sha]) => [FORGE_REFS + name, sha]));
    if (branchSha !== null) forgeRefs.set(FORGE_REFS + branch, branchSha);
    if (request.upstreamSha !== undefined) forgeRefs.set(UPSTREAM_REF, request.upstreamSha);
    return this.#store.scratch(repo, forgeRefs, async (dir) => {
      const quarantine = {
        dir,
        branchSha,
        baseTip: base?.sha ?? null,
        limits: this.#limits,
        signal: request.signal,
      };
      const checked = await checkCommits(request, header, quarantine, {
        secrets: this.#options.secrets,
        submodules: this.#submodules,
      });
      if (checked.kind !== 'clean') return checked;
      const objection = await request.objection?.();
      if (objection !== undefined)
        return { kind: 'refused', reason: objection, secretScan: checked.secretScan };
      const { candidate, secretScan } = checked;
      request.signal?.throwIfAborted();
      const outcome = await push(
        candidate,
        this.#store.remote(request.fork ?? repo, this.#options.publishToken()),
        this.#options.pushTimeoutMs ?? PUSH_TIMEOUT_MS,
      );
      if (outcome.kind === 'moved') return 'moved';
      if (outcome.kind === 'refused') return { ...outcome, secretScan };
      return { kind: 'pushed', head: candidate.head, secretScan };
    });
  }

  removeLeftBehind(): Promise<number> {
    return this.#store.removeLeftBehind();
  }

  /** What the forge has now: every branch, the base, and the run's branch where it is published. */
  async #read(
    {
      repo,
      branch,
      fork,
      seen,
      signal,
    }: Pick<GitPublishRequest, 'repo' | 'branch' | 'seen' | 'signal'> & {
      readonly fork?: RepoRef | undefined;
    },
    bases: readonly string[],
  ): Promise<{ state: ForgeBranches; base: ReturnType<typeof baseOf>; branchSha: string | null }> {
    const mirror = this.#store.mirror(repo);
    const state =
      seen ?? (await this.branches(repo, fork === undefined ? [branch, ...bases] : bases, signal));
    const branchSha =
      fork === undefined
        ? (state.branches.get(branch) ?? null)
        : await mirror.syncFork({ ...this.#store.remote(fork), signal }, branch);
    return { state, base: baseOf(state, bases), branchSha };
  }
}

/** The first of the names that is a branch, else the default branch. */
function baseOf(
  state: ForgeBranches,
  names: readonly string[],
): { readonly name: string; readonly sha: string } | undefined {
  for (const name of [...names, ...(state.defaultBranch === null ? [] : [state.defaultBranch])]) {
    const sha = state.branches.get(name);
    if (sha !== undefined) return { name, sha };
  }
  return undefined;
}

function refused(reason: string): GitPublishVerdict {
  return { kind: 'refused', reason };
}
