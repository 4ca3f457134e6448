import { ForgeHttpError, isNotFound } from '../../domain/base/errors.js';
import type { PublishPlace } from '../../domain/forge/forks.js';
import type { RepoRef } from '../../domain/forge/issue.js';
import { asObject, flagOf, textOf } from './decode.js';
import { GiteaForks } from './forks.js';
import type { GiteaClient, GiteaRequest } from './gitea-client.js';
import { toRepository } from './mapping.js';
import { seesWriters } from './members.js';

/** What a token is for: `sidecar` comments and reads, `publisher` opens pull requests and pushes as well. */
export type TokenPurpose = 'sidecar' | 'publisher';

/** One sentence for the log and `doctor`; an `error` must be mended before the token is of use. */
export interface RightsFinding {
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

export interface TokenRightsQuestion {
  readonly org: string;
  readonly purpose: TokenPurpose;
  /** Repositories the bot is to serve, as far as they are known. */
  readonly repos?: readonly RepoRef[];
  /** Asks with GET only: write scopes are then not looked at. */
  readonly onlyReads?: boolean;
  /** `FORGE_PUBLISH`; `branch` by default. */
  readonly publish?: PublishPlace;
}

// No comment has this id. The scope is checked before the comment is looked for, so the probe tells a missing scope
// (403) from a present one (404) and changes nothing.
const NO_SUCH_ID = Number.MAX_SAFE_INTEGER;

/**
 * What is missing for the token to do its work, empty when nothing is. Errors: `ForgeHttpError` when the forge does
 * not answer or does not take the token at all.
 */
export async function checkTokenRights(
  client: GiteaClient,
  question: TokenRightsQuestion,
): Promise<RightsFinding[]> {
  const findings: RightsFinding[] = [];
  const user = await probe(client, { method: 'GET', path: ['user'] });
  if (user.kind === 'refused')
    return [error(`read:user is needed to know the bot's own account: ${user.message}`)];
  if (user.kind === 'missing')
    throw new ForgeHttpError(404, 'GET', '/user', 'the forge has no /user: is FORGE_GITEA_API right?');
  const bot = asObject(user.body, 'user');
  const login = textOf(bot, 'login');
  if (flagOf(bot, 'is_admin')) {
    findings.push(warning(`${login} is an administrator of the forge: give the bot an account without that`));
  }
  findings.push(...(await membership(client, question.org, login)));
  findings.push(...(await scopes(client, question, login)));
  for (const repo of question.repos ?? [])
    findings.push(...(await repositoryRights(client, repo, login, question)));
  return findings;
}

async function membership(client: GiteaClient, org: string, login: string): Promise<RightsFinding[]> {
  const there = await probe(client, { method: 'GET', path: ['orgs', org] });
  if (there.kind === 'refused')
    return [error(`read:organization is needed to see who is an agent: ${there.message}`)];
  if (there.kind === 'missing')
    return [error(`there is no organization ${org}, or ${login} can't see it: make it and add ${login}`)];
  const member = await probe(client, { method: 'GET', path: ['orgs', org, 'members', login] });
  if (member.kind === 'answered') return [];
  return [
    error(`${login} is not a member of ${org}, so it can't see private members: add it to a team of ${org}`),
  ];
}

async function scopes(
  client: GiteaClient,
  { purpose, onlyReads = false }: TokenRightsQuestion,
  login: string,
): Promise<RightsFinding[]> {
  const probes: (readonly [scope: string, request: GiteaRequest])[] = [
    ['read:repository', { method: 'GET', path: ['repos', login, 'bot-bottle-probe'] }],
    [
      'write:issue',
      {
        method: 'PATCH',
        path: ['repos', login, 'bot-bottle-probe', 'issues', 'comments', NO_SUCH_ID],
        body: { body: 'probe' },
      },
    ],
  ];
  if (purpose === 'publisher') {
    const path = ['repos', login, 'bot-bottle-probe', 'pulls', NO_SUCH_ID];
    probes.push(['write:repository', { method: 'PATCH', path, body: {} }]);
  }
  const findings: RightsFinding[] = [];
  for (const [scope, request] of probes) {
    if (onlyReads && request.method !== 'GET') continue;
    const outcome = await probe(client, request);
    if (outcome.kind === 'refused') findings.push(error(`the token lacks ${scope}: ${outcome.message}`));
  }
  return findings;
}

async function repositoryRights(
  client: GiteaClient,
  ref: RepoRef,
  login: string,
  { purpose, publish = 'branch' }: TokenRightsQuestion,
): Promise<RightsFinding[]> {
  const name = `${ref.owner}/${ref.repo}`;
  const outcome = await probe(client, { method: 'GET', path: ['repos', ref.owner, ref.repo] });
  if (outcome.kind === 'refused') return [error(`${name} can't be read: ${outcome.message}`)];
  if (outcome.kind === 'missing')
    return [
      error(`${name} is not there or hidden from ${login}: add it as a collaborator with write access`),
    ];
  if (publish === 'fork' && purpose === 'publisher') {
    const fork = await new GiteaForks(client).look(ref);
    if (fork.kind === 'impossible') return [error(fork.reason)];
  }
  const { permissions } = toRepository(outcome.body);
  if (!permissions.push && publish === 'fork') return [warning(withoutWriting(login, name))];
  if (!permissions.push)
    return [error(`${login} may not write to ${name}: add it as a collaborator with write access`)];
  if (permissions.admin) return [warning(`${login} is an admin of ${name}: write access is enough`)];
  if (await seesWriters(client, ['repos', ref.owner, ref.repo], login)) return [];
  return [
    warning(
      `${login} can't tell who may write to ${name}, so nobody will be taken for a writer: add it to a team of ${ref.owner} that writes there`,
    ),
  ];
}

/** Nothing is pushed there, but Gitea asks for it before other things. */
function withoutWriting(login: string, name: string): string {
  return `${login} may not write to ${name}: it sees nobody who may, so FORGE_TRIGGER and FORGE_WAKE must be org, and a person’s repository cannot assign issues to it`;
}

type Probe =
  | { readonly kind: 'answered'; readonly body: unknown }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'missing' };

async function probe(client: GiteaClient, request: GiteaRequest): Promise<Probe> {
  try {
    const response = await client.request({ ...request, accept: [303] });
    if (response.status === 303) return { kind: 'missing' };
    return { kind: 'answered', body: response.status === 204 ? null : response.json() };
  } catch (fault) {
    if (isNotFound(fault)) return { kind: 'missing' };
    if (fault instanceof ForgeHttpError && fault.status === 403)
      return { kind: 'refused', message: fault.message };
    throw fault;
  }
}

function error(message: string): RightsFinding {
  return { severity: 'error', message };
}

function warning(message: string): RightsFinding {
  return { severity: 'warning', message };
}
