import { isNotFound } from '../../domain/errors.js';
import type { Place } from '../../domain/issue.js';
import { asObject, integerOf, textOf } from '../forge-http/decode.js';
import { forgeNumber } from '../forge-http/forge-number.js';
import type { GithubClient } from './github-client.js';

/**
 * By its id, which stays when a repository is renamed or transferred; `undefined` when it is gone or hidden from us. The
 * path is in no document of GitHub's; it is where GitHub redirects from an old name, and clients rely on it
 * (octokit.js issue 163).
 */
export async function whereIs(client: GithubClient, repoId: number): Promise<Place | undefined> {
  const repository_id = forgeNumber(repoId);
  try {
    const { data } = await client.call((_api, request) =>
      request('GET /repositories/{repository_id}', { repository_id }),
    );
    const raw = asObject(data, 'repository');
    const owner = textOf(asObject(raw['owner'], 'owner'), 'login');
    return { repoId: integerOf(raw, 'id'), owner, repo: textOf(raw, 'name') };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
