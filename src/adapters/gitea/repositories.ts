import type { Place } from '../../domain/forge/issue.js';
import { isNotFound } from '../../domain/base/errors.js';
import { asObject, integerOf, textOf } from './decode.js';
import { forgeNumber } from './forge-number.js';
import type { GiteaClient } from './gitea-client.js';

/** By its id, which stays when a repository is renamed or transferred; `undefined` when it is gone or hidden from us. */
export async function whereIs(client: GiteaClient, repoId: number): Promise<Place | undefined> {
  try {
    const raw = asObject(
      await client.json({ method: 'GET', path: ['repositories', forgeNumber(repoId)] }),
      'repository',
    );
    const owner = textOf(asObject(raw['owner'], 'owner'), 'login');
    return { repoId: integerOf(raw, 'id'), owner, repo: textOf(raw, 'name') };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
