import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InvalidInputError } from '../../domain/base/errors.js';
import type { ForgeBranches } from '../../domain/workspace/git-repository.js';
import { isForgeName, isOwnerName, type RepoRef } from '../../domain/forge/issue.js';
import { RUN_BRANCHES } from '../../domain/run/slug.js';
import { localEnvironment, remoteEnvironment } from './git-environment.js';
import { remoteFailure } from './git-failure.js';
import { localGit } from './local-git.js';
import { flawOf, removeGitLocks, removePartialPacks } from './mirror-flaws.js';
import type { RepositoryLocks } from './repository-lock.js';
import type { Remote } from './remote.js';
import { readRemoteRefs, type RemoteRefs } from './remote-refs.js';
import { runGit, type GitOutput } from './run-git.js';
import { unlessMissing } from '../../domain/base/errno.js';
import { sha256 } from '../system/sha256.js';

const FETCH_TIMEOUT_MS = 10 * 60_000;
const LOCAL_TIMEOUT_MS = 60_000;
/** A fetch leaves a pack; this many are rolled up. Nothing is ever pruned: quarantines borrow from the mirror. */
const MAX_PACKS = 50;
/** Below it the run's branches of the bot's fork. */
const FORK_REFS = 'refs/fork/';
/** Below it the default branch of the repository that this one is a fork of. */
const UPSTREAM_REFS = 'refs/upstream/';
const UPSTREAM_HEAD = 'head';

const BRANCHES = ['+refs/heads/*:refs/heads/*'];
const TAGS = ['+refs/tags/*:refs/tags/*'];

/**
 * Flaws of old commits that do no harm and that many public histories have: who made a commit, and when, is only text. Everything
 * else that fsck finds is refused, such as what could leave a work tree or lie about it.
 */
const TOLERATED = [
  ...['badDate', 'badDateOverflow', 'badEmail', 'badName', 'badTimezone'],
  ...['missingEmail', 'missingNameBeforeEmail', 'missingSpaceBeforeDate', 'missingSpaceBeforeEmail'],
  ...['multipleAuthors', 'nulInCommit', 'zeroPaddedDate', 'zeroPaddedFilemode'],
];

/** A bare mirror of a repository's branches; where it is somebody's submodule, of its tags too. */
export class Mirror {
  constructor(
    readonly dir: string,
    private readonly locks: RepositoryLocks,
  ) {}

  /**
   * Asks the forge (one round trip) for the branches named and its default branch, and fetches only when the mirror has
   * them otherwise: on the launch path nothing has changed most of the time.
   */
  async sync(remote: Remote, wanted: readonly string[]): Promise<ForgeBranches> {
    await this.#ensureThere();
    const [there, here] = await Promise.all([readRemoteRefs(remote, this.dir, wanted), this.branches()]);
    const state = { defaultBranch: there.defaultBranch, branches: here };
    if (isCurrent(there, here)) return state;
    return this.#alone(async () => {
      // Somebody else may have fetched it while this call waited.
      const now = await this.branches();
      if (isCurrent(there, now)) return { ...state, branches: now };
      await this.#fetch(remote, BRANCHES);
      return { ...state, branches: await this.branches() };
    });
  }

  /**
   * A run's branch as it is in the bot's fork, `null` when it is not there. Kept beside the repository's own branches:
   * they have most of their history in common.
   */
  async syncFork(remote: Remote, branch: string): Promise<string | null> {
    await this.#ensureThere();
    const [{ asked }, here] = await Promise.all([
      readRemoteRefs(remote, this.dir, [branch]),
      this.#refs(FORK_REFS),
    ]);
    const there = asked.get(branch) ?? null;
    if ((here.get(branch) ?? null) === there) return there;
    return this.#alone(async () => {
      await this.#fetch(remote, [`+refs/heads/${RUN_BRANCHES}*:${FORK_REFS}${RUN_BRANCHES}*`]);
      return (await this.#refs(FORK_REFS)).get(branch) ?? null;
    });
  }

  /** Like `sync`, for who has to know of branches that cannot be named. */
  async syncAll(remote: Remote): Promise<ForgeBranches> {
    await this.#ensureThere();
    const { defaultBranch } = await readRemoteRefs(remote, this.dir, []);
    return this.#alone(async () => {
      await this.#fetch(remote, BRANCHES);
      return { defaultBranch, branches: await this.branches() };
    });
  }

  /** The default branch of the repository that this one is a fork of, `null` when it has none. */
  async syncUpstream(remote: Remote): Promise<{ readonly branch: string; readonly sha: string } | null> {
    await this.#ensureThere();
    const { defaultBranch: branch } = await readRemoteRefs(remote, this.dir, []);
    if (branch === null) return null;
    return this.#alone(async () => {
      await this.#fetch(remote, [`+refs/heads/${branch}:${UPSTREAM_REFS}${UPSTREAM_HEAD}`]);
      const sha = (await this.#refs(UPSTREAM_REFS)).get(UPSTREAM_HEAD);
      return sha === undefined ? null : { branch, sha };
    });
  }

  /** As the only one who writes to it. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    return this.locks.exclusively(`${this.dir}.lock`, work);
  }

  branches(): Promise<Map<string, string>> {
    return this.#refs('refs/heads/');
  }

  async #refs(below: string): Promise<Map<string, string>> {
    const args = ['for-each-ref', '--format=%(objectname) %(refname)', below];
    const output = await localGit(this.dir, 'reading the mirror', args);
    const lines = output.split('\n').filter((line) => line !== '');
    return new Map(lines.map((line) => [line.slice(41 + below.length), line.slice(0, 40)]));
  }

  /**
   * Asks the forge for its branches and tags, whatever the mirror has of them: that shows that the remote's token may read
   * them now. Answers which of the commits are in their history.
   */
  async obtain(remote: Remote, commits: readonly string[]): Promise<ReadonlySet<string>> {
    await this.#ensureThere();
    return this.#alone(async () => {
      await this.#fetch(remote, [...BRANCHES, ...TAGS]);
      const found = await Promise.all(commits.map((sha) => this.#isReachable(sha)));
      return new Set(commits.filter((_, index) => found[index]));
    });
  }

  async #isReachable(sha: string): Promise<boolean> {
    const names = ['refs/heads/', 'refs/tags/'];
    const args = ['--git-dir', this.dir, 'for-each-ref', '--count=1', `--contains=${sha}`, ...names];
    const output = await runGit({ args, env: localEnvironment(), timeoutMs: LOCAL_TIMEOUT_MS });
    // It fails for what is not there, or is no commit.
    return output.exitCode === 0 && output.stdout !== '';
  }

  async #ensureThere(): Promise<void> {
    if (await this.#isThere()) return;
    await mkdir(dirname(this.dir), { recursive: true, mode: 0o700 });
    await this.#alone(async () => {
      if (await this.#isThere()) return;
      await this.#beginAnew();
    });
  }

  /** Whole or not at all: a crash half-way leaves only the temporary directory. */
  async #beginAnew(): Promise<void> {
    const half = `${this.dir}.new`;
    await rm(half, { recursive: true, force: true });
    const args = ['init', '--quiet', '--bare', '--template=', '--initial-branch=none'];
    await localGit(half, 'making the mirror', args);
    await rm(this.dir, { recursive: true, force: true });
    await rename(half, this.dir);
  }

  async #isThere(): Promise<boolean> {
    const head = await unlessMissing(stat(join(this.dir, 'HEAD')));
    // Without its content it never reached the disk.
    return head !== undefined && head.size > 0;
  }

  /** A mirror holds nothing that the forge has not: a damaged one is made anew. */
  async #fetch(remote: Remote, what: readonly string[]): Promise<void> {
    await removePartialPacks(this.dir, FETCH_TIMEOUT_MS);
    let output = await this.#tryToFetch(remote, what);
    const flaw = flawOf(output);
    if (flaw !== undefined) {
      await (flaw === 'locked' ? removeGitLocks(this.dir) : this.#beginAnew());
      output = await this.#tryToFetch(remote, what);
    }
    if (output.exitCode !== 0)
      throw remoteFailure(`git fetch of ${remote.name} failed`, output, remote.token);
    await this.#rollUpPacks();
  }

  #tryToFetch(remote: Remote, what: readonly string[]): Promise<GitOutput> {
    const args = [
      ...['--git-dir', this.dir, '-c', 'core.hooksPath=/dev/null', '-c', 'gc.auto=0'],
      ...['-c', 'fetch.fsckObjects=true'],
      ...TOLERATED.flatMap((flaw) => ['-c', `fetch.fsck.${flaw}=ignore`]),
      // Every fetch one pack: thousands of loose objects would slow down each later command.
      ...['-c', 'fetch.unpackLimit=1'],
      ...['fetch', '--quiet', '--prune', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'],
      ...['--no-auto-maintenance', remote.url, ...what],
    ];
    const env = remoteEnvironment(remote);
    return runGit({ args, env, timeoutMs: FETCH_TIMEOUT_MS, signal: remote.signal });
  }

  async #rollUpPacks(): Promise<void> {
    const packs = await readdir(join(this.dir, 'objects', 'pack'));
    if (packs.filter((name) => name.endsWith('.pack')).length <= MAX_PACKS) return;
    const args = ['repack', '--quiet', '-d', '--geometric=2', '--no-write-bitmap-index'];
    const how = { timeoutMs: FETCH_TIMEOUT_MS };
    await localGit(this.dir, 'rolling up the packs of the mirror', args, how);
  }
}

/**
 * `<mirrors>/<forge>/<owner>/<repo>-<hash>.git`, lower case for file systems that make no difference; the hash keeps
 * names apart that differ in case only. Errors: `InvalidInputError` for a name that no forge gives.
 */
export function mirrorDirectory(mirrorsDir: string, { forge, owner, repo }: RepoRef): string {
  if (!isOwnerName(owner) || !isForgeName(repo) || !/^[a-z]+$/.test(forge)) {
    throw new InvalidInputError('not a repository name');
  }
  const hash = sha256(`${forge}/${owner}/${repo}`).slice(0, 12);
  return join(mirrorsDir, forge, owner.toLowerCase(), `${repo.toLowerCase()}-${hash}.git`);
}

function isCurrent(there: RemoteRefs, here: ReadonlyMap<string, string>): boolean {
  return [...there.asked].every(([name, sha]) => (here.get(name) ?? null) === sha);
}
