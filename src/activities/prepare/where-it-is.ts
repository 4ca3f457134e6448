import { GitError, isNotFound } from '../../domain/base/errors.js';
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

/** Does the work, and once more where the repository is now when it was not found where it was believed to be. */
export async function whereItIs<I extends RunRef, T>(
  forgeFor: ForgeFor,
  input: I,
  work: (input: I) => Promise<T>,
): Promise<T> {
  try {
    return await work(input);
  } catch (error) {
    if (!isNotFound(error) && !(error instanceof GitError && !error.retryable)) throw error;
    const place = await movedTo(forgeFor, input);
    if (place === undefined) throw error;
    const { owner, repo } = place;
    return work({ ...input, subject: { ...input.subject, owner, repo } });
  }
}
