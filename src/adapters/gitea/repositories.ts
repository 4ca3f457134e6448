import type { ForgeUnit } from '../../domain/forge/forge.js';
import type { Place } from '../../domain/forge/issue.js';
import { ForgeHttpError, unlessNotFound } from '../../domain/base/errors.js';
import { asObject, integerOf, textOf } from './decode.js';
import { forgeNumber } from './forge-number.js';
import type { GiteaClient } from './gitea-client.js';
import type { GiteaRepo } from './gitea-repo.js';

/** One of a list is asked for. What the repository says of its units does not tell what a team may see of them. */
export async function canRead(repo: GiteaRepo, unit: ForgeUnit): Promise<boolean> {
  // Without a type, Gitea's list has pull requests where it shows no issues.
  const query = { state: 'open', limit: 1, ...(unit === 'issues' ? { type: 'issues' } : {}) };
  const path = repo.path(unit);
  return (await repo.client.request({ method: 'GET', path, query, accept: [404] })).status !== 404;
}

/**
 * By its id, which stays when a repository is renamed or transferred; `undefined` when it is gone or hidden from us.
 * @throws {ForgeHttpError} away, when the forge does not even know our account
 */
export async function whereIs(client: GiteaClient, repoId: number): Promise<Place | undefined> {
  const found = await unlessNotFound(
    client.json({ method: 'GET', path: ['repositories', forgeNumber(repoId)] }),
  );
  if (found !== undefined) {
    const raw = asObject(found, 'repository');
    const owner = textOf(asObject(raw['owner'], 'owner'), 'login');
    return { repoId: integerOf(raw, 'id'), owner, repo: textOf(raw, 'name') };
  }
  // A proxy that has lost its forge knows nothing at all.
  if ((await unlessNotFound(client.request({ method: 'GET', path: ['user'] }))) !== undefined)
    return undefined;
  const message =
    'nothing is found on the forge, not even our own account: is it up behind its proxy, and is FORGE_GITEA_API right?';
  throw new ForgeHttpError(0, 'GET', '/user', message);
}
