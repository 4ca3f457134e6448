import { InvalidInputError } from '../../domain/base/errors.js';
import { isCommitId } from '../../domain/forge/issue.js';

/** Nothing else becomes an argument of git in the place of a commit. @throws InvalidInputError */
export function requireCommits(...ids: readonly string[]): void {
  if (!ids.every(isCommitId)) throw new InvalidInputError('not a full commit id');
}
