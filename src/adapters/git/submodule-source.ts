import { join } from 'node:path';
import { GitError, GitOverrunError } from '../../domain/base/errors.js';
import type { RepoRef } from '../../domain/forge/issue.js';
import {
  MAX_SUBMODULES,
  MAX_SUBMODULE_LEVELS,
  chooseSubmodules,
  isInCone,
  submoduleReader,
  type DeclaredSubmodule,
  type Gitlink,
  type LeftOut,
  type PlacedSubmodule,
  type TurnSubmodules,
  type WantedSubmodule,
} from '../../domain/workspace/submodules.js';
import { bundleRefs } from './bundle-refs.js';
import type { Candidate, InQuarantine } from './check/candidate.js';
import type { GitLimits } from './git-limits.js';
import { readGitlinks, readGitmodules } from './gitlinks.js';
import type { MirrorStore } from './mirror-store.js';

/** Of a tree with more, only so many are looked at. */
const MAX_GITLINKS = 500;
const TOO_LARGE_TREE = 'the tree that records it takes git more time or memory than it may have';

export interface SubmoduleRequest {
  /** The run's repository. */
  readonly own: RepoRef;
  /** What is checked out at the first turn. */
  readonly commit: string;
  /** More commits whose submodules are brought along where they are the same ones: the base's. */
  readonly alsoOf: readonly string[];
  /** `owner/name` that are read with the bot's rights. */
  readonly named: readonly string[];
  readonly sparse: readonly string[];
  /** Directory for the bundles. */
  readonly directory: string;
}

interface Tree {
  readonly repo: RepoRef;
  readonly commit: string;
  /** In the workspace, empty for its own. */
  readonly path: string;
  /** 0 for the workspace's own. */
  readonly level: number;
}

/** Submodules from the forge, each through a bare mirror of its own. */
export class SubmoduleSource {
  /**
   * @param webUrl see `SystemGitOptions`
   * @param limits of each git process that reads a tree
   */
  constructor(
    private readonly store: MirrorStore,
    private readonly webUrl: string,
    private readonly limits: GitLimits,
  ) {}

  /**
   * Writes a bundle of each submodule's commit, without history, and says what stays empty. Errors: `GitError` only for
   * faults that may pass; what the forge refuses is left out.
   */
  async write(request: SubmoduleRequest): Promise<TurnSubmodules> {
    const placed: PlacedSubmodule[] = [];
    const leftOut: LeftOut[] = [];
    const trees: Tree[] = [{ repo: request.own, commit: request.commit, path: '', level: 0 }];
    // It grows by what is placed, so a parent comes before what is in it.
    for (const tree of trees) {
      const isOwn = tree.level === 0;
      const chosen = await this.#choose(tree, isOwn ? request.sparse : []);
      leftOut.push(...chosen.leftOut.map((one) => ({ ...one, path: below(tree.path, one.path) })));
      const later = isOwn ? await this.#laterCommits(request) : [];
      for (const wanted of chosen.wanted) {
        const path = below(tree.path, wanted.path);
        const bundle = `submodule-${String(placed.length)}.bundle`;
        const reason =
          overLimits(tree, placed.length) ?? (await this.#bundle(request, wanted, later, bundle));
        if (reason !== undefined) {
          leftOut.push({ path, reason });
          continue;
        }
        const { name, repo, commit } = wanted;
        const url = `${this.webUrl}/${repo.owner}/${repo.repo}.git`;
        placed.push({ parent: tree.path, path: wanted.path, name, url, commit, bundle });
        trees.push({ repo, commit, path, level: tree.level + 1 });
      }
    }
    return { placed, leftOut };
  }

  /**
   * Why a changed submodule of the run's repository is not published; `undefined` when the forge has its commit.
   * @param candidate its head has the `.gitmodules` that counts
   */
  async objection(
    own: RepoRef,
    named: readonly string[],
    candidate: InQuarantine & Pick<Candidate, 'head'>,
    changed: Gitlink,
  ): Promise<string | undefined> {
    const declared = (await readGitmodules(candidate, candidate.head)) ?? [];
    const { webUrl } = this;
    const { wanted, leftOut } = chooseSubmodules([changed], declared, { repo: own, webUrl });
    const [submodule] = wanted;
    if (submodule === undefined) return leftOut.find(({ path }) => path === changed.path)?.reason;
    const found = await this.#obtain(own, named, submodule, [changed.commit]).catch((error: unknown) => {
      // It was the agent who named this repository, and it may be one that cannot be fetched.
      if (error instanceof GitError && error.away) throw new GitError(error.message, true, { cause: error });
      throw error;
    });
    return this.#whyNot(own, named, submodule, found);
  }

  async #choose(
    tree: Pick<Tree, 'repo' | 'commit'>,
    sparse: readonly string[],
  ): Promise<ReturnType<typeof chooseSubmodules>> {
    const { store, webUrl, limits } = this;
    const where = { dir: store.mirror(tree.repo).dir, limits };
    const inCone = ({ path }: { readonly path: string }): boolean => isInCone(path, sparse);
    let declared: readonly Pick<DeclaredSubmodule, 'path'>[] = [{ path: '.gitmodules' }];
    try {
      const entries = await readGitmodules(where, tree.commit);
      if (entries === undefined) return { wanted: [], leftOut: [] };
      declared = entries;
      const gitlinks = (await readGitlinks(where, tree.commit)).slice(0, MAX_GITLINKS);
      const { wanted, leftOut } = chooseSubmodules(gitlinks, entries, { repo: tree.repo, webUrl });
      return { wanted: wanted.filter(inCone), leftOut: leftOut.filter(inCone) };
    } catch (error) {
      if (!(error instanceof GitOverrunError)) throw error;
      // The same tree would take as long the next time.
      const leftOut = declared.map(({ path }) => ({ path, reason: TOO_LARGE_TREE }));
      return { wanted: [], leftOut: leftOut.filter(inCone) };
    }
  }

  /** What other commits of the run's repository record: the agent may merge them, and then needs these. */
  async #laterCommits({ own, alsoOf }: SubmoduleRequest): Promise<readonly WantedSubmodule[]> {
    const chosen = await Promise.all(alsoOf.map((commit) => this.#choose({ repo: own, commit }, [])));
    return chosen.flatMap(({ wanted }) => wanted);
  }

  /** Answers why there is no bundle. */
  async #bundle(
    { own, named, directory }: SubmoduleRequest,
    wanted: WantedSubmodule,
    later: readonly WantedSubmodule[],
    bundle: string,
  ): Promise<string | undefined> {
    const others = later.filter(({ name, repo }) => name === wanted.name && isSame(repo, wanted.repo));
    const commits = [...new Set([wanted, ...others].map(({ commit }) => commit))];
    const found = await this.#obtain(own, named, wanted, commits);
    const reason = this.#whyNot(own, named, wanted, found);
    if (reason !== undefined || found === undefined) return reason;
    const refs = new Map([...found].map((sha) => [`refs/submodule/${sha}`, sha]));
    await this.store.scratch(wanted.repo, refs, (dir) =>
      bundleRefs(dir, refs.keys(), [...found], join(directory, bundle)),
    );
    return undefined;
  }

  /** `undefined` when the repository cannot be read with the rights that count for it. */
  async #obtain(
    own: RepoRef,
    named: readonly string[],
    { repo }: WantedSubmodule,
    commits: readonly string[],
  ): Promise<ReadonlySet<string> | undefined> {
    const remote =
      submoduleReader(repo, own, named) === 'bot' ? this.store.remote(repo) : this.store.remote(repo, '');
    try {
      return await this.store.mirror(repo).obtain(remote, commits);
    } catch (error) {
      if (error instanceof GitError && !error.retryable) return undefined;
      throw error;
    }
  }

  #whyNot(
    own: RepoRef,
    named: readonly string[],
    { repo, commit }: WantedSubmodule,
    found: ReadonlySet<string> | undefined,
  ): string | undefined {
    const name = `${repo.owner}/${repo.repo}`;
    if (found?.has(commit) === true) return undefined;
    if (found !== undefined)
      return `no branch or tag of ${name} on the forge has commit ${commit.slice(0, 12)}`;
    return submoduleReader(repo, own, named) === 'bot'
      ? `${name} is not there, the bot may not read it, or git does not accept what it holds`
      : `${name} is not there, or not readable by everybody: then the operator has to name it in the bottle's workspace.submodule_repos`;
  }
}

function overLimits({ level }: Tree, placed: number): string | undefined {
  if (level === MAX_SUBMODULE_LEVELS)
    return `submodules of submodules have none themselves (${String(MAX_SUBMODULE_LEVELS)} levels)`;
  return placed === MAX_SUBMODULES
    ? `a workspace has at most ${String(MAX_SUBMODULES)} submodules`
    : undefined;
}

function below(parent: string, path: string): string {
  return parent === '' ? path : `${parent}/${path}`;
}

function isSame(one: RepoRef, other: RepoRef): boolean {
  return one.owner === other.owner && one.repo === other.repo;
}
