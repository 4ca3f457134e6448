import type { Forge } from '../../domain/forge/forge.js';
import type { PublishPlace } from '../../domain/forge/forks.js';
import type { Issue, PullRequest } from '../../domain/forge/issue.js';
import { baseObjection, branchObjection, pullObjection } from '../../domain/run/unfit-branches.js';
import type { Trigger } from '../../domain/run/events.js';

/**
 * Why no run can begin on what a trigger is on. The preparation of its first turn would find the same, but the people on
 * the forge hear of refusals from here alone. Errors: the forge's.
 */
export async function unworkable(
  forge: Pick<Forge, 'readPr' | 'readRepository' | 'whoAmI'>,
  trigger: Pick<Trigger, 'pull'>,
  subject: { readonly issue: Issue; readonly pull: PullRequest | null },
  publish: PublishPlace,
): Promise<string | null> {
  const unfit = trigger.pull === null ? undefined : await ofPull(forge, trigger.pull, subject.pull, publish);
  return unfit ?? baseObjection(subject.issue) ?? null;
}

/** @param own when it is the subject itself */
async function ofPull(
  forge: Pick<Forge, 'readPr' | 'readRepository' | 'whoAmI'>,
  number: number,
  own: PullRequest | null,
  publish: PublishPlace,
): Promise<string | undefined> {
  const reading = own === null ? forge.readPr(number) : Promise.resolve(own);
  const [pull, bot, { defaultBranch }] = await Promise.all([reading, forge.whoAmI(), forge.readRepository()]);
  // An earlier run's that was closed again: the new run gets a branch of its own.
  if (own === null && pull.state !== 'open') return undefined;
  return pullObjection(pull, bot, publish) ?? branchObjection(pull, defaultBranch);
}
