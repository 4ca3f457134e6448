import { unlessNotFound } from '../../domain/base/errors.js';
import type { PublishPlace } from '../../domain/forge/forks.js';
import type { Issue, PullRequest } from '../../domain/forge/issue.js';
import type { Forge } from '../../domain/forge/forge.js';
import { branchObjection, pullObjection } from '../../domain/run/unfit-branches.js';
import type { ForgeStateRow } from '../../domain/run/rows.js';
import { branchOf } from '../../domain/run/slug.js';
import type { PrepareTurnInput } from '../ports/inputs.js';

/** The branch a run works on and publishes to, and its pull request, if there is one; or why none will do. */
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
  if (number === null) {
    const branch = begun ?? branchOf(slug, subject.number);
    // Published in an earlier turn; its base may be another one by now.
    const { prNumber } = input;
    const pull = prNumber === null ? undefined : await unlessNotFound(forge.readPr(prNumber));
    return { kind: 'branch', branch, pull: pull ?? null };
  }
  const [pull, bot] = await Promise.all([forge.readPr(number), forge.whoAmI()]);
  // An earlier run's pull request that is closed again: the issue still asks for work.
  if (begun === undefined && !issue.isPull && pull.state !== 'open')
    return { kind: 'branch', branch: branchOf(slug, subject.number), pull: null };
  const objection = pullObjection(pull, bot, publish);
  if (objection !== undefined) return { kind: 'refused', reason: objection };
  if (begun !== undefined) return { kind: 'branch', branch: begun, pull };
  const { defaultBranch } = await forge.readRepository();
  const unfit = branchObjection(pull, defaultBranch);
  if (unfit !== undefined) return { kind: 'refused', reason: unfit };
  return { kind: 'branch', branch: pull.head.ref, pull };
}
