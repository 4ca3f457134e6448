import { ForgeHttpError, isNotFound } from '../../domain/errors.js';
import type { RepoRef } from '../../domain/issue.js';
import { asObject, flagOf, textOf } from '../forge-http/decode.js';
import type { GithubClient } from './github-client.js';
import { toRepository } from '../forge-http/mapping.js';
import { isOrgMember } from './members.js';

/** One sentence for `doctor`; an `error` must be mended before the token is of use. */
export interface RightsFinding {
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

/**
 * What is missing for the token to do its work, as far as reading shows: a fine-grained token's permissions can't be
 * asked for. Errors: `ForgeHttpError` when the forge does not answer or does not take the token at all.
 */
export async function checkTokenRights(
  client: GithubClient,
  question: { readonly org: string; readonly repos: readonly RepoRef[] },
): Promise<RightsFinding[]> {
  const bot = asObject((await client.call((api) => api.users.getAuthenticated())).data, 'user');
  const login = textOf(bot, 'login');
  const findings: RightsFinding[] = [];
  if (flagOf(bot, 'site_admin'))
    findings.push(warning(`${login} is an administrator of the forge: give the bot an account without that`));
  findings.push(...(await membership(client, question.org, login)));
  for (const repo of question.repos) findings.push(...(await repositoryRights(client, repo, login)));
  return findings;
}

async function membership(client: GithubClient, org: string, login: string): Promise<RightsFinding[]> {
  try {
    if (await isOrgMember(client, org, login)) return [];
  } catch (fault) {
    if (!(fault instanceof ForgeHttpError) || fault.status !== 403) throw fault;
  }
  return [
    error(
      `${login} is not a member of ${org}, or the token may not see that: add it, and let the token read members`,
    ),
  ];
}

async function repositoryRights(client: GithubClient, ref: RepoRef, login: string): Promise<RightsFinding[]> {
  const { owner, repo } = ref;
  const name = `${owner}/${repo}`;
  try {
    const { permissions } = toRepository((await client.call((api) => api.repos.get({ owner, repo }))).data);
    if (!permissions.push)
      return [error(`${login} may not write to ${name}: add it as a collaborator with write access`)];
    return permissions.admin ? [warning(`${login} is an admin of ${name}: write access is enough`)] : [];
  } catch (fault) {
    if (!isNotFound(fault)) throw fault;
    return [
      error(`${name} is not there or hidden from ${login}: add it as a collaborator with write access`),
    ];
  }
}

function error(message: string): RightsFinding {
  return { severity: 'error', message };
}

function warning(message: string): RightsFinding {
  return { severity: 'warning', message };
}
