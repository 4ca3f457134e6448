import { BASE_NAME_LIMIT, isBaseName, isBranchName } from '../../domain/workspace/branch-name.js';
import type { PublishPlace } from '../../domain/forge/forks.js';
import { isHeadOfOurs, type Issue, type PullRequest } from '../../domain/forge/issue.js';
import type { Forge } from '../../domain/forge/forge.js';
import type { ForgeStateRow } from '../../domain/run/rows.js';
import { branchOf, issueOfBranch } from '../../domain/run/slug.js';
import type { PrepareTurnInput } from '../ports/inputs.js';
import { placeObjection } from './publish-place.js';

/** The branch a run works on and publishes to, and the pull request that says so; or why none will do. */
export type WorkBranch =
  | { readonly kind: 'branch'; readonly branch: string; readonly pull: PullRequest | null }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * A pull request's run works on the pull request's own branch, whoever opened it; so does the run that the reopening of
 * an earlier run's pull request began. Every other run has a branch of its own.
 */
export async function workBranch(
  forge: Forge,
  input: PrepareTurnInput,
  issue: Issue,
  row: ForgeStateRow | undefined,
  publish: PublishPlace,
): Promise<WorkBranch> {
  const { slug, subject, trigger } = input;
  const number = issue.isPull ? issue.number : trigger.pull;
  // The row's, since a run stays on the branch that it began on.
  const begun = row?.slug === slug && row.branch !== '' ? row.branch : undefined;
  if (number === null) return { kind: 'branch', branch: begun ?? branchOf(slug, subject.number), pull: null };
  const [pull, bot] = await Promise.all([forge.readPr(number), forge.whoAmI()]);
  const name = `#${String(number)}`;
  // An earlier run's pull request that is closed again: the issue still asks for work.
  if (begun === undefined && !issue.isPull && pull.state !== 'open')
    return { kind: 'branch', branch: branchOf(slug, subject.number), pull: null };
  if (!isHeadOfOurs(pull, bot)) return refused(`pull request ${name} comes from a fork`);
  const objection = placeObjection(pull, publish);
  if (objection !== undefined) return refused(objection);
  if (begun !== undefined) return { kind: 'branch', branch: begun, pull };
  if (pull.head.fromFork && issueOfBranch(pull.head.ref) === undefined)
    return refused(`the branch of pull request ${name} is not one that a run has made`);
  if (!isBranchName(pull.head.ref)) return refused(`the branch of pull request ${name} has an unusable name`);
  if (!isBaseName(pull.base.ref))
    return refused(
      `the base branch of pull request ${name} has an unusable name: it may have ${BASE_NAME_LIMIT}`,
    );
  const { defaultBranch } = await forge.readRepository();
  if (pull.head.ref === defaultBranch || pull.head.ref === pull.base.ref)
    return refused(`pull request ${name} is of branch ${pull.head.ref}, which others build on`);
  return { kind: 'branch', branch: pull.head.ref, pull };
}

function refused(reason: string): WorkBranch {
  return { kind: 'refused', reason };
}
