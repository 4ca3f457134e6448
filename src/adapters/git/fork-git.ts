import { GitError } from '../../domain/base/errors.js';
import type { RepoRef } from '../../domain/forge/issue.js';
import type { ForkGit } from '../../domain/sync/ports.js';
import { SYNC_BRANCHES } from '../../domain/sync/sync-names.js';
import type { ForgeBranches } from '../../domain/workspace/git-repository.js';
import { isBranchName } from '../../domain/workspace/branch-name.js';
import { bundleRefs } from './bundle-refs.js';
import { localGit } from './local-git.js';
import type { MirrorStore } from './mirror-store.js';
import type { Remote } from './remote.js';
import { requireCommits } from './require-commits.js';

export interface ForkGitOptions {
  /** Where the forge's repositories are, no trailing slash. */
  readonly webUrl: string;
  /** For an upstream on the same forge, and for no other. */
  readonly readToken: () => string;
  readonly caFile?: string;
}

/** `ForkGit` in the fork's mirror, where upstream's branch lies beside the fork's own. */
export function forkGit(store: MirrorStore, options: ForkGitOptions): ForkGit {
  async function countCommits(fork: RepoRef, from: string, to: string): Promise<number> {
    requireCommits(from, to);
    const args = ['rev-list', '--count', to, '--not', from];
    return Number((await localGit(store.mirror(fork).dir, 'reading the mirror', args)).trim());
  }

  return {
    countCommits,

    async refreshFork(fork, upstream) {
      const mirror = store.mirror(fork);
      const state = await mirror.syncAll(store.remote(fork));
      const branch = state.defaultBranch;
      const sha = branch === null ? undefined : state.branches.get(branch);
      if (branch === null || sha === undefined) throw empty('origin');
      const there = await mirror.syncUpstream(upstreamRemote(options, upstream));
      if (there === null) throw empty('upstream');
      const unusable = [branch, there.branch].find((name) => !isBranchName(name));
      if (unusable !== undefined)
        throw new GitError(`the default branch ${JSON.stringify(unusable)} has an unusable name`, false);
      return {
        branch,
        sha,
        upstreamBranch: there.branch,
        upstreamSha: there.sha,
        behind: await countCommits(fork, sha, there.sha),
        earlier: lastSyncBranch(state),
      };
    },

    writeRefs: (fork, refs, file) =>
      store.scratch(fork, refs, (dir) => bundleRefs(dir, refs.keys(), [], file)),
  };
}

/** Another host than the forge's gets no token of ours, and is trusted as the system trusts it. */
function upstreamRemote({ webUrl, readToken, caFile }: ForkGitOptions, url: string): Remote {
  const isForges = url.startsWith(`${webUrl}/`);
  return {
    ...{ url, name: `upstream ${url}` },
    token: isForges ? readToken() : '',
    caFile: isForges ? caFile : undefined,
  };
}

function lastSyncBranch({
  branches,
}: ForgeBranches): { readonly branch: string; readonly sha: string } | null {
  const names = [...branches].filter(([name]) => name.startsWith(SYNC_BRANCHES) && isBranchName(name));
  const [last] = names.sort(([a], [b]) => (a < b ? 1 : -1));
  return last === undefined ? null : { branch: last[0], sha: last[1] };
}

function empty(which: string): GitError {
  return new GitError(`"${which}" has no default branch with a commit: is it empty?`, false);
}
