import { unlessNotFound } from '../../domain/base/errors.js';
import type { Forge, OpenPrInput } from '../../domain/forge/forge.js';
import type { PullRequest } from '../../domain/forge/issue.js';

/** Against the default branch, as git checks the commits, where the base was deleted while the turn ran. Errors: the forge's. */
export async function openAgainst(
  forge: Forge,
  wanted: Omit<OpenPrInput, 'base'>,
  base: string | undefined,
): Promise<PullRequest> {
  const opened = base === undefined ? undefined : await unlessNotFound(forge.openPr({ ...wanted, base }));
  return opened ?? forge.openPr({ ...wanted, base: (await forge.readRepository()).defaultBranch });
}
