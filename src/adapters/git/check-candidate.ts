import { GitOverrunError } from '../../domain/errors.js';
import type { GitPublishVerdict } from '../../domain/git-repository.js';

const TOO_MUCH =
  'the new commits take git too long to look at, or are too many: take large, generated and deeply nested directories ' +
  'out of the commits themselves, a later removal is not enough';

/** Runs checks of an agent's commits. What git needs too long for, or writes too much about, is refused: it would again. */
export async function orTooMuch<T>(check: () => Promise<T>): Promise<T | GitPublishVerdict> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof GitOverrunError) return { kind: 'refused', reason: TOO_MUCH };
    throw error;
  }
}
