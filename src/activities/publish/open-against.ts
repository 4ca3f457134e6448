import { isNotFound } from '../../domain/base/errors.js';
import type { Forge, OpenPrInput } from '../../domain/forge/forge.js';
import type { PullRequest } from '../../domain/forge/issue.js';

/** Against the default branch, as git checks the commits, where the base was deleted while the turn ran. Errors: the forge's. */
export async function openAgainst(
  forge: Forge,
  wanted: Omit<OpenPrInput, 'base'>,
  base: string | undefined,
): Promise<PullRequest> {
  try {
    if (base !== undefined) return await forge.openPr({ ...wanted, base });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return forge.openPr({ ...wanted, base: (await forge.readRepository()).defaultBranch });
}
