/** What the agent and the pull request's readers are told. Names of branches are checked ones, the address is the operator's. */
import type { SyncOrder, SyncRefs } from './sync.js';

/** Where the remotes' branches are for the agent, since a bundle brings them as `base/*`; and no fast-forward. */
export const SYNC_SETUP = `git fetch -q --no-tags --no-write-fetch-head . \
'+refs/remotes/base/origin/*:refs/remotes/origin/*' '+refs/remotes/base/upstream/*:refs/remotes/upstream/*'
git config merge.ff false
`;

export function syncPrompt(
  order: Pick<SyncOrder, 'fork' | 'upstream' | 'timeoutMs'>,
  refs: SyncRefs,
  role: string | null,
): string {
  const { branch, upstreamBranch, behind } = refs;
  const { owner, repo } = order.fork;
  const minutes = String(Math.max(1, Math.floor(order.timeoutMs / 60_000)));
  return `${role === null ? '' : `${role.trim()}\n\n`}# Merge upstream into this fork

The repository in /workspace is the fork ${owner}/${repo}, on its branch \`${branch}\`. It was made from ${order.upstream},
whose branch is here as \`upstream/${upstreamBranch}\`; it has ${commits(behind)} that the fork lacks. There are no remotes and there is no
network: everything you need is here.

1. Run \`git merge upstream/${upstreamBranch}\` on \`${branch}\`. Leave a merge commit: no fast-forward, no squash.
2. Solve each conflict so that what the fork changed on purpose and what upstream changed both go on working. Look at the history
   of both sides (\`git log --merge -p\`) before you decide. Where the project has tests, run them.
3. Commit the merge on \`${branch}\` with the identity that git is set up with. Further commits on top are fine where the merge needs them.

- Never rewrite history: no rebase, amend, reset or cherry-pick of what you were given.
- Files for CI and reviews (.github, .gitea, .forgejo, .gitlab-ci.yml, CODEOWNERS, .gitmodules and the like): take the fork's version or
  upstream's as it is. Anything in between is refused.
- Change nothing that the merge does not ask for.
- When you cannot do it, or a person must decide: run \`git merge --abort\`, write what you tried and what is unclear to
  /workspace/STUCK.md, do not commit that file, and stop. That is a good outcome; a wrong merge is not.

You have ${minutes} minutes. Afterwards it is checked that every commit of upstream/${upstreamBranch} is reachable from ${branch}; only then a
pull request is opened. You need not push, and cannot.
`;
}

export function syncTitle({ upstreamBranch }: SyncRefs): string {
  return `Merge upstream ${upstreamBranch}`;
}

/** In code, so that nothing of a name is a mention or a reference. */
export function syncBody({ upstream }: SyncOrder, refs: SyncRefs): string {
  const { upstreamBranch, upstreamSha, branch, behind } = refs;
  return `Merges \`${upstreamBranch}\` of \`${upstream}\` at \`${shortId(upstreamSha)}\` into \`${branch}\`: ${commits(behind)}.

An agent made the merge and solved the conflicts, if there were any. Every commit of upstream is reachable from this branch (\`git merge-base --is-ancestor\`). Merge it with a merge commit: squashing loses what the next sync needs.
`;
}

/** Below what the pull request of an earlier sync says already. */
export function syncFurther({ upstreamBranch, upstreamSha, behind }: SyncRefs): string {
  return `Then \`${upstreamBranch}\` at \`${shortId(upstreamSha)}\`: ${commits(behind)} more.\n`;
}

export function shortId(sha: string): string {
  return sha.slice(0, 12);
}

function commits(count: number): string {
  return `${String(count)} commit${count === 1 ? '' : 's'}`;
}
