import { ForgeHttpError, isNotFound } from '../../domain/base/errors.js';
import { asList, asObject, flagOf, textOf } from './decode.js';
import type { GiteaClient, PathSegment } from './gitea-client.js';

export interface OwnershipQuestion {
  readonly login: string;
  /** `FORGE_ORG` */
  readonly org: string;
  /** `FORGE_REPOS` */
  readonly patterns: readonly string[];
}

/**
 * Where the bot owns what it is to serve, one sentence each: then it is the account of the person who labels and assigns, whose
 * acts start nothing because they are the bot's own. What the token may not ask for is left out. Errors: `ForgeHttpError`.
 */
export async function botOwnership(
  client: GiteaClient,
  { login, org, patterns }: OwnershipQuestion,
): Promise<string[]> {
  const isBot = (name: string): boolean => name.toLowerCase() === login.toLowerCase();
  const owners = new Set(patterns.map((pattern) => pattern.split('/')[0] ?? ''));
  const named = [...owners].filter((owner) => owner !== '' && !owner.includes('*'));
  const orgs = new Map(
    [org, ...named.filter((owner) => !isBot(owner))].map((name) => [name.toLowerCase(), name]),
  );
  const findings: string[] = [];
  for (const name of orgs.values())
    if (await ownsOrganization(client, login, name))
      findings.push(
        `${login} is an owner of the organization ${name}: put the bot into a team that writes, and take it out of the owners`,
      );
  const own = named.some(isBot) ? `${login}/*` : undefined;
  const [first] = own === undefined && owners.has('*') ? await repositoriesOf(client, login) : [];
  const served = own ?? first;
  if (served !== undefined)
    findings.push(
      `${login} is the bot and the owner of ${served}, which FORGE_REPOS serves: an agent never starts or wakes by acts of its own account, so give the bot another one than yours`,
    );
  return findings;
}

/** 404 also for a name that is no organization. */
async function ownsOrganization(client: GiteaClient, login: string, org: string): Promise<boolean> {
  const body = await answer(client, ['users', login, 'orgs', org, 'permissions']);
  return body !== undefined && flagOf(asObject(body, 'permissions'), 'is_owner');
}

/** Without forks: those are where the bot publishes. */
async function repositoriesOf(client: GiteaClient, login: string): Promise<string[]> {
  const body = await answer(client, ['users', login, 'repos']);
  return asList(body ?? [], 'repositories').flatMap((repository) =>
    flagOf(repository, 'fork') ? [] : [textOf(repository, 'full_name')],
  );
}

async function answer(client: GiteaClient, path: readonly PathSegment[]): Promise<unknown> {
  try {
    return await client.json({ method: 'GET', path });
  } catch (error) {
    if (isNotFound(error) || (error instanceof ForgeHttpError && error.status === 403)) return undefined;
    throw error;
  }
}
