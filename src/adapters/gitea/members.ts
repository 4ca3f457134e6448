import { isRecord } from '../../domain/base/is-record.js';
import { ForgeHttpError } from '../../domain/base/errors.js';
import type { Permission } from '../../domain/forge/issue.js';
import { mapLimited } from '../../domain/base/map-limited.js';
import { asList, asObject, flagOf, integerOf, textOf, textOrEmpty } from './decode.js';
import type { JsonObject } from './decode.js';
import type { GiteaClient, PathSegment } from './gitea-client.js';
import type { GiteaRepo } from './gitea-repo.js';
import { allPages } from './paging.js';

/**
 * `GET /orgs/{org}/members/{login}`: 204 yes, 404 no, also for an organization or user that isn't there. Errors:
 * `ForgeHttpError` 403 when the answer would be a guess: to a token whose user is outside the organization Gitea
 * shows only public memberships, by a redirect.
 */
export async function isOrgMember(client: GiteaClient, org: string, login: string): Promise<boolean> {
  const path = ['orgs', org, 'members', login];
  const { status } = await client.request({ method: 'GET', path, accept: [302, 303, 307, 404] });
  if (status === 204) return true;
  if (status === 404) return false;
  const shown = await client.request({
    method: 'GET',
    path: ['orgs', org, 'public_members', login],
    accept: [404],
  });
  if (shown.status === 204) return true;
  throw new ForgeHttpError(
    403,
    'GET',
    `/${path.join('/')}`,
    `the bot is not a member of ${JSON.stringify(org)} and can't see its private members: add the bot's account to it`,
  );
}

const STRONG = new Set(['write', 'admin', 'owner']);
/** Requests side by side. */
const ASKED_AT_ONCE = 8;

/**
 * What `login` may do in the repository; a public one may be read by everybody. Gitea answers the exact question
 * only to repository admins, which the bot is not meant to be. For the others it is derived, never upwards:
 * - whom an issue can be assigned to: exactly those with write access, in a person's repository;
 * - in an organization's also members of teams that only read, so there it counts if every team of the repository
 *   writes, or the bot can see `login` in one that does (Gitea shows a team's members to its members).
 */
export async function permissionOf(repo: GiteaRepo, login: string): Promise<Permission> {
  // Asked beside the exact question, since most tokens get no answer to that; else nobody asks whether they failed.
  const teams = teamsOf(repo.client, repo.path());
  const assigning = repo.client.json({ method: 'GET', path: repo.path('assignees') });
  for (const one of [teams, assigning]) one.catch(() => undefined);
  const path = repo.path('collaborators', login, 'permission');
  const exact = await repo.client.request({ method: 'GET', path, accept: [403, 404] });
  if (exact.status === 404) return 'none';
  if (exact.status !== 403) return toPermission(textOf(asObject(exact.json(), 'permission'), 'permission'));
  // The same status for a missing scope; this one then says so.
  const assignees = asList(await assigning, 'assignees');
  const assignable = assignees.some((user) => hasLogin(user, login));
  if (assignable && (await assignableMeansWrite(repo.client, await teams, login))) return 'write';
  return canRead(repo, login, assignable);
}

/** Only they can have an issue assigned to them; where that is not enough, each is asked about. */
export async function readWriters(repo: GiteaRepo): Promise<string[]> {
  const raw = asList(await repo.client.json({ method: 'GET', path: repo.path('assignees') }), 'assignees');
  const assignees = raw.map((user) => textOf(user, 'login'));
  const teams = await teamsOf(repo.client, repo.path());
  if (teams === undefined || teams.every(isStrong)) return assignees;
  const permissions = await mapLimited(assignees, ASKED_AT_ONCE, (login) => permissionOf(repo, login));
  return assignees.filter((_login, index) => STRONG.has(permissions[index] ?? 'none'));
}

/** To a token whose user is outside the organization only those who are so publicly. */
export async function readOrgMembers(client: GiteaClient, org: string): Promise<string[]> {
  const users = await allPages(client, ['orgs', org, 'members']);
  return users.map((user) => textOf(user, 'login'));
}

function hasLogin(user: JsonObject, login: string): boolean {
  return textOf(user, 'login').toLowerCase() === login.toLowerCase();
}

function toPermission(text: string): Permission {
  if (text === 'owner' || text === 'admin') return 'admin';
  return text === 'write' || text === 'read' ? text : 'none';
}

/**
 * Whether the bot can tell an organization's writers from its readers; always so in a person's repository. Where not,
 * `permissionOf` takes everybody there for a reader.
 */
export async function seesWriters(
  client: GiteaClient,
  repo: readonly PathSegment[],
  bot: string,
): Promise<boolean> {
  return assignableMeansWrite(client, await teamsOf(client, repo), bot);
}

async function teamsOf(
  client: GiteaClient,
  repo: readonly PathSegment[],
): Promise<readonly JsonObject[] | undefined> {
  const response = await client.request({ method: 'GET', path: [...repo, 'teams'], accept: [405] });
  return response.status === 405 ? undefined : asList(response.json(), 'teams');
}

async function inOneOf(client: GiteaClient, teams: readonly JsonObject[], login: string): Promise<boolean> {
  for (const team of teams) {
    const path = ['teams', integerOf(team, 'id'), 'members', login];
    const response = await client.request({ method: 'GET', path, accept: [403, 404] });
    if (response.status === 200 && hasLogin(asObject(response.json(), 'member'), login)) return true;
  }
  return false;
}

async function assignableMeansWrite(
  client: GiteaClient,
  teams: readonly JsonObject[] | undefined,
  login: string,
): Promise<boolean> {
  if (teams === undefined || teams.every(isStrong)) return true;
  return inOneOf(client, teams.filter(isStrong), login);
}

function isStrong(team: JsonObject): boolean {
  if (STRONG.has(textOrEmpty(team, 'permission'))) return true;
  const units = team['units_map'];
  return isRecord(units) && STRONG.has(textOrEmpty(units, 'repo.code'));
}

async function canRead(repo: GiteaRepo, login: string, assignable: boolean): Promise<Permission> {
  if (assignable) return 'read';
  const raw = asObject(await repo.client.json({ method: 'GET', path: repo.path() }), 'repository');
  if (!flagOf(raw, 'private')) return 'read';
  const path = repo.path('collaborators', login);
  // 422 for a login that is no account, or none any more.
  const { status } = await repo.client.request({ method: 'GET', path, accept: [404, 422] });
  return status === 204 ? 'read' : 'none';
}
