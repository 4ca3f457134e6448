import { join } from 'node:path';
import { GitError, InvalidInputError } from '../../domain/base/errors.js';
import type { RepoRef } from '../../domain/forge/issue.js';
import type {
  GitPublishRequest,
  GitPublishVerdict,
  GitRepository,
  SubmoduleRules,
  TurnRefs,
} from '../../domain/workspace/git-repository.js';
import { branchNamed, isBranchName } from '../../domain/workspace/branch-name.js';
import { issueOfBranch } from '../../domain/run/slug.js';
import type { SecretGuard } from '../../domain/secret/secret-guard.js';
import type { ForkGit } from '../../domain/sync/ports.js';
import type { TurnSubmodules } from '../../domain/workspace/submodules.js';
import { bundleRefs } from './bundle-refs.js';
import { readBundleHeader, type BundleHeader } from './bundle-file.js';
import { FORGE_REFS, isAncestorIn, UPSTREAM_REF } from './check/candidate.js';
import { checkCommits } from './check/check-commits.js';
import { forkGit } from './fork-git.js';
import { safeDirectoryFile } from './local-source.js';
import { GIT_LIMITS, type GitLimits } from './git-limits.js';
import { Mirror, mirrorDirectory, type MirrorState } from './mirror.js';
import type { Remote } from './remote.js';
import { push } from './push.js';
import { missingCommits } from './check/quarantine.js';
import { RepositoryLocks } from './repository-lock.js';
import { shallowBoundary } from './shallow-boundary.js';
import { SubmoduleSource } from './submodule-source.js';
import { removeLeftBehind, withScratchRepository } from './scratch-repository.js';

export interface SystemGitOptions {
  /** Absolute directory of the mirrors, on a disk of ours, mode 0700. */
  readonly mirrorsDir: string;
  /** http(s) address without user and password, or an absolute path. */
  readonly cloneUrl: (repo: RepoRef) => string;
  /** Address of the forge's pages, no trailing slash: what an address in `.gitmodules` is held against. */
  readonly webUrl: string;
  /** Read afresh for every command, so that a new token needs no restart; empty for none. */
  readonly readToken: () => string;
  readonly publishToken: () => string;
  readonly secrets: SecretGuard;
  /** Extra CA certificates, PEM (`FORGE_CA_FILE`). */
  readonly caFile?: string;
  /** Milliseconds for one push; 5 minutes by default. git 2.39 waits without end for the rest of a report cut short. */
  readonly pushTimeoutMs?: number;
  /** Of each git process that looks at an agent's commits. */
  readonly limits?: GitLimits;
}

const PUSH_TIMEOUT_MS = 5 * 60_000;
/** Times that a publish starts over because the branch moved between the checks and the push. */
const PUBLISH_ATTEMPTS = 3;
const SHA = /^[0-9a-f]{40}$/;

/**
 * `GitRepository` with the system's git (2.39 or later) on bare mirrors. No call opens a workspace. Errors: `GitError`,
 * final when the forge refuses the token or has no such repository; `InvalidInputError`.
 */
export class SystemGitRepository implements GitRepository {
  readonly #options: SystemGitOptions;
  readonly #locks = new RepositoryLocks();
  readonly #scratchDir: string;
  readonly #submodules: SubmoduleSource;
  readonly #limits: GitLimits;
  #swept: Promise<number> | undefined;

  constructor(options: SystemGitOptions) {
    this.#options = options;
    this.#limits = options.limits ?? GIT_LIMITS;
    // No forge's name begins with a dot.
    this.#scratchDir = join(options.mirrorsDir, '.scratch');
    this.#submodules = new SubmoduleSource({
      webUrl: options.webUrl,
      readToken: options.readToken,
      limits: this.#limits,
      mirror: (repo) => this.#mirror(repo),
      remote: (repo, token) => this.#remote(repo, token),
      scratch: (repo, refs, work) => this.#scratch(repo, refs, work),
    });
  }

  /** The same mirrors, for forks that are merged with their upstream. */
  forForks(): ForkGit {
    const { webUrl, readToken, caFile } = this.#options;
    return forkGit({
      ...{ webUrl, readToken, caFile },
      mirror: (repo) => this.#mirror(repo),
      origin: (repo) => this.#remote(repo, readToken()),
      scratch: (repo, refs, work) => this.#scratch(repo, refs, work),
    });
  }

  async refresh(
    repo: RepoRef,
    branch: string,
    baseBranch: string | readonly string[] | null,
    fork?: RepoRef,
  ): Promise<TurnRefs> {
    if (!isBranchName(branch)) throw new InvalidInputError('not a branch name');
    const candidates = (typeof baseBranch === 'string' ? [baseBranch] : (baseBranch ?? [])).flatMap(
      (ref) => branchNamed(ref) ?? [],
    );
    const remote = await this.#source(repo);
    const state = await this.#mirror(repo).sync(remote, [
      ...(fork === undefined ? [branch] : []),
      ...candidates,
    ]);
    const base = baseOf(state, candidates);
    if (base === undefined)
      throw new GitError(`${nameOf(repo)} has no branch to start from: is it empty?`, false);
    const branchSha = await this.#branchSha({ repo, branch, fork }, state);
    return { startSha: branchSha ?? base.sha, baseBranch: base.name, baseSha: base.sha, branchSha };
  }

  async boundary(repo: RepoRef, refs: TurnRefs, depth: number): Promise<readonly string[]> {
    const tips = [...new Set([refs.baseSha, refs.branchSha ?? refs.baseSha])];
    if (!tips.every((sha) => SHA.test(sha))) throw new InvalidInputError('not a commit id');
    if (!Number.isSafeInteger(depth) || depth < 1) throw new InvalidInputError('a depth is 1 or more');
    return shallowBoundary(this.#mirror(repo).dir, tips, depth);
  }

  async writeRefsBundle(
    repo: RepoRef,
    refs: TurnRefs,
    branch: string,
    file: string,
    boundary: readonly string[] = [],
  ): Promise<void> {
    if (!isBranchName(branch) || !isBranchName(refs.baseBranch))
      throw new InvalidInputError('not a branch name');
    if (![refs.baseSha, refs.branchSha ?? refs.baseSha, ...boundary].every((sha) => SHA.test(sha))) {
      throw new InvalidInputError('not a commit id');
    }
    const bundled = new Map([[`refs/base/${refs.baseBranch}`, refs.baseSha]]);
    if (refs.branchSha !== null) bundled.set(`refs/pr/${branch}`, refs.branchSha);
    await this.#scratch(repo, bundled, (dir) => bundleRefs(dir, bundled.keys(), boundary, file));
  }

  async writeSubmodules(
    repo: RepoRef,
    refs: TurnRefs,
    directory: string,
    rules: SubmoduleRules,
  ): Promise<TurnSubmodules> {
    const [commit, base] = [refs.startSha, refs.baseSha];
    if (![commit, base].every((sha) => SHA.test(sha))) throw new InvalidInputError('not a commit id');
    const alsoOf = base === commit ? [] : [base];
    return this.#submodules.write({ own: repo, commit, alsoOf, directory, ...rules });
  }

  async publish(request: GitPublishRequest): Promise<GitPublishVerdict> {
    const { repo, branch, baseSha } = request;
    if (!isBranchName(branch) || (request.fork !== undefined && issueOfBranch(branch) === undefined))
      return refused(`"${branch}" cannot be the branch of a run`);
    if (!SHA.test(baseSha)) throw new InvalidInputError('the base commit must be a full commit id');
    if (request.upstreamSha !== undefined && !SHA.test(request.upstreamSha))
      throw new InvalidInputError('upstream must be a full commit id');
    const reading = await readBundleHeader(request.bundleFile, request.bundledAs ?? branch, request.maxBytes);
    if (reading.kind === 'refused') return reading;
    for (let attempt = 0; attempt < PUBLISH_ATTEMPTS; attempt += 1) {
      const verdict = await this.#publishOnce(request, reading.header);
      if (verdict !== 'moved') return verdict;
    }
    throw new GitError(
      `${branch} of ${nameOf(repo)} moved ${String(PUBLISH_ATTEMPTS)} times while it was published`,
      true,
    );
  }

  async isAncestor(repo: RepoRef, ancestor: string, descendant: string): Promise<boolean> {
    if (!SHA.test(ancestor) || !SHA.test(descendant)) throw new InvalidInputError('not a commit id');
    const { dir } = this.#mirror(repo);
    // The mirror has the whole history of what it has. What we pushed it may never have seen, if somebody rewrote the
    // branch before the next fetch.
    const missing = await missingCommits(dir, [ancestor, descendant]);
    if (missing.includes(ancestor) && !missing.includes(descendant)) return false;
    return isAncestorIn(dir, ancestor, descendant);
  }

  async #publishOnce(request: GitPublishRequest, header: BundleHeader): Promise<GitPublishVerdict | 'moved'> {
    const { repo, branch, baseBranch } = request;
    const bases = baseBranch === undefined || !isBranchName(baseBranch) ? [] : [baseBranch];
    const reader = this.#remote(repo, this.#options.readToken());
    const state = await this.#mirror(repo).sync(reader, [
      ...(request.fork === undefined ? [branch] : []),
      ...bases,
    ]);
    if (branch === state.defaultBranch || branch === baseBranch)
      return refused(`"${branch}" is what others build on: an agent's work goes to a branch of its own`);
    const branchSha = await this.#branchSha(request, state);
    const forgeRefs = new Map([...state.branches].map(([name, sha]) => [FORGE_REFS + name, sha]));
    if (branchSha !== null) forgeRefs.set(FORGE_REFS + branch, branchSha);
    if (request.upstreamSha !== undefined) forgeRefs.set(UPSTREAM_REF, request.upstreamSha);
    return this.#scratch(repo, forgeRefs, async (dir) => {
      const quarantine = {
        dir,
        branchSha,
        baseTip: baseOf(state, bases)?.sha ?? null,
        limits: this.#limits,
        signal: request.signal,
      };
      const checked = await checkCommits(request, header, quarantine, {
        secrets: this.#options.secrets,
        submodules: this.#submodules,
      });
      if (checked.kind !== 'clean') return checked;
      const { candidate, secretScan } = checked;
      request.signal?.throwIfAborted();
      const outcome = await push(
        candidate,
        this.#remote(request.fork ?? repo, this.#options.publishToken()),
        this.#options.pushTimeoutMs ?? PUSH_TIMEOUT_MS,
      );
      if (outcome.kind === 'moved') return 'moved';
      if (outcome.kind === 'refused') return { ...outcome, secretScan };
      return { kind: 'pushed', head: candidate.head, commits: candidate.commits, secretScan };
    });
  }

  removeLeftBehind(): Promise<number> {
    return removeLeftBehind(this.#scratchDir, Date.now());
  }

  async #scratch<T>(
    repo: RepoRef,
    refs: ReadonlyMap<string, string>,
    work: (dir: string) => Promise<T>,
  ): Promise<T> {
    this.#swept ??= removeLeftBehind(this.#scratchDir, Date.now());
    await this.#swept;
    return withScratchRepository(this.#scratchDir, this.#mirror(repo).dir, refs, work);
  }

  /** The run's branch on the forge, where it is published. */
  async #branchSha(
    { repo, branch, fork }: { repo: RepoRef; branch: string; fork?: RepoRef | undefined },
    state: MirrorState,
  ): Promise<string | null> {
    if (fork === undefined) return state.branches.get(branch) ?? null;
    return this.#mirror(repo).syncFork(this.#remote(fork, this.#options.readToken()), branch);
  }

  #mirror(repo: RepoRef): Mirror {
    return new Mirror(mirrorDirectory(this.#options.mirrorsDir, repo), this.#locks);
  }

  /** To fetch from, for a turn. */
  async #source(repo: RepoRef): Promise<Remote> {
    const { path } = repo;
    if (path === undefined) return this.#remote(repo, this.#options.readToken());
    const configFile = await safeDirectoryFile(join(this.#options.mirrorsDir, '.local'), path);
    return { url: path, token: '', caFile: undefined, name: path, configFile };
  }

  #remote(repo: RepoRef, token: string): Remote {
    return { url: this.#options.cloneUrl(repo), token, caFile: this.#options.caFile, name: nameOf(repo) };
  }
}

/** The first of the names that is a branch, else the default branch (spec 8). */
function baseOf(
  state: MirrorState,
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

function nameOf(repo: RepoRef): string {
  if (repo.path !== undefined) return repo.path;
  return `${repo.forge}:${repo.owner}/${repo.repo}`;
}
