import { ForgeHttpError, InvalidInputError, isNotFound } from '../../domain/errors.js';
import type { Permission } from '../../domain/issue.js';
import { asObject, textOrEmpty } from '../forge-http/decode.js';
import type { GithubAnswer, GithubApi, GithubClient } from './github-client.js';
import type { GithubRepo } from './github-repo.js';

/**
 * `GET /orgs/{org}/members/{username}`: 204 yes, 404 no. Errors: `ForgeHttpError` 403 when the answer would be a guess:
 * to a token whose user is outside the organization GitHub answers 302, towards the public memberships.
 */
export async function isOrgMember(client: GithubClient, org: string, username: string): Promise<boolean> {
  named(org, username);
  try {
    return await isThere(client, (api) => api.orgs.checkMembershipForUser({ org, username }));
  } catch (error) {
    if (!(error instanceof ForgeHttpError) || error.status !== 302) throw error;
  }
  if (await isThere(client, (api) => api.orgs.checkPublicMembershipForUser({ org, username }))) return true;
  const path = `/orgs/${org}/members/${username}`;
  throw new ForgeHttpError(
    403,
    'GET',
    path,
    `the bot is not a member of ${JSON.stringify(org)} and can't see its private members: add the bot's account to it`,
  );
}

async function isThere(
  client: GithubClient,
  ask: (api: GithubApi) => Promise<GithubAnswer>,
): Promise<boolean> {
  try {
    await client.call(ask);
    return true;
  } catch (error) {
    // Not `isNotFound`: a redirect is another answer here.
    if (error instanceof ForgeHttpError && error.status === 404) return false;
    throw error;
  }
}

/** `permission` folds maintain into write and triage into read; a custom role has the permission it is based on. */
const PERMISSIONS: Readonly<Record<string, Permission>> = {
  admin: 'admin',
  maintain: 'write',
  write: 'write',
  triage: 'read',
  read: 'read',
  none: 'none',
};

/** What `username` may do in the repository; a public one may be read by everybody. The bot needs write access to ask. */
export async function permissionOf(repo: GithubRepo, username: string): Promise<Permission> {
  named(username);
  try {
    const { data } = await repo.client.call((api) =>
      api.repos.getCollaboratorPermissionLevel({ ...repo.name, username }),
    );
    const raw = asObject(data, 'permission');
    return (
      PERMISSIONS[textOrEmpty(raw, 'permission')] ?? PERMISSIONS[textOrEmpty(raw, 'role_name')] ?? 'none'
    );
  } catch (error) {
    if (isNotFound(error)) return 'none';
    throw error;
  }
}

/** Octokit drops an empty last segment, and the path without it is the list of all, which answers "yes". */
function named(...names: readonly string[]): void {
  if (names.includes('')) throw new InvalidInputError('a name on the forge is empty');
}
