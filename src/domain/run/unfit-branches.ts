/** Why no run can work on the branches that a pull request or an issue names. Pure. */
import type { PublishPlace } from '../forge/forks.js';
import { isHeadOfOurs, type ForgeUser, type Issue, type PullRequest } from '../forge/issue.js';
import { BASE_NAME_LIMIT, branchNamed, isBaseName, isBranchName } from '../workspace/branch-name.js';
import { issueOfBranch } from './slug.js';

/**
 * Why a run may not work on a pull request of ours: its branch is not where `FORGE_PUBLISH` publishes, as after a change
 * of the setting. `undefined` when it is.
 */
export function placeObjection(pull: PullRequest, publish: PublishPlace): string | undefined {
  const name = nameOf(pull);
  if (publish === 'fork' && !pull.head.fromFork)
    return `${name} is from a branch of the repository itself, where FORGE_PUBLISH=fork pushes nothing: close it, or set FORGE_PUBLISH to branch until it is done`;
  if (publish === 'branch' && pull.head.fromFork)
    return `${name} is from the bot’s fork, where FORGE_PUBLISH=branch pushes nothing: close it, or set FORGE_PUBLISH to fork until it is done`;
  return undefined;
}

/** The same of any pull request. */
export function pullObjection(pull: PullRequest, bot: ForgeUser, publish: PublishPlace): string | undefined {
  return isHeadOfOurs(pull, bot) ? placeObjection(pull, publish) : `${nameOf(pull)} comes from a fork`;
}

/** Why a run may not begin on the branch of a pull request of ours. */
export function branchObjection(pull: PullRequest, defaultBranch: string): string | undefined {
  const { head, base } = pull;
  const name = nameOf(pull);
  if (head.fromFork && issueOfBranch(head.ref) === undefined)
    return `the branch of ${name} is not one that a run has made`;
  if (!isBranchName(head.ref)) return `the branch of ${name} has an unusable name`;
  if (!isBaseName(base.ref))
    return `the base branch of ${name} has an unusable name: it may have ${BASE_NAME_LIMIT}`;
  if (head.ref === defaultBranch || head.ref === base.ref)
    return `${name} is of branch ${head.ref}, which others build on`;
  return undefined;
}

/** Why a run may not begin on the branch that an issue names. */
export function baseObjection({ number, ref }: Pick<Issue, 'number' | 'ref'>): string | undefined {
  if (!ref.startsWith('refs/heads/') || branchNamed(ref) !== undefined) return undefined;
  return `the branch that #${String(number)} names can't be one to build on: its name may have ${BASE_NAME_LIMIT}`;
}

function nameOf({ number }: PullRequest): string {
  return `pull request #${String(number)}`;
}
