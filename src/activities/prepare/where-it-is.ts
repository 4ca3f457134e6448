import { GitAccessError, isNotFound } from '../../domain/base/errors.js';
import type { Place } from '../../domain/forge/issue.js';
import type { ForgeFor } from '../../domain/forge/forge.js';
import type { RunRef } from '../ports/inputs.js';

/**
 * Where the run's repository is, when that is not where the workflow believes it to be: renamed or transferred since it
 * last heard of it. Errors: `ForgeHttpError` other than 404.
 */
export async function movedTo(forgeFor: ForgeFor, run: RunRef): Promise<Place | undefined> {
  if (run.repoId === null) return undefined;
  const place = await forgeFor(run.subject).whereIs(run.repoId);
  const { owner, repo } = run.subject;
  return place === undefined || (place.owner === owner && place.repo === repo) ? undefined : place;
}

/**
 * Does the work, and once more where the repository is now when it was not found where it was believed to be. That is
 * mostly elsewhere; in the same place, what stands before the forge did not find it for a moment.
 */
export async function whereItIs<I extends Pick<RunRef, 'repoId' | 'subject'>, T>(
  forgeFor: ForgeFor,
  input: I,
  work: (input: I) => Promise<T>,
): Promise<T> {
  try {
    return await work(input);
  } catch (error) {
    if (input.repoId === null || !(isNotFound(error) || error instanceof GitAccessError)) throw error;
    const place = await forgeFor(input.subject).whereIs(input.repoId);
    if (place === undefined) throw error;
    const { owner, repo } = place;
    return work({ ...input, subject: { ...input.subject, owner, repo } });
  }
}
