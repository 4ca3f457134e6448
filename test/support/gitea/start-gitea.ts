import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { textIn, withPassword } from './api.js';
import { adoptRepository } from './adopt-repository.js';
import type { Api } from './api.js';
import type { AppIni } from './app-ini.js';
import { giteaBinary } from './binary.js';
import { copyFurnished, type Passwords } from './furnished.js';
import { GiteaProcess } from './gitea-process.js';
import { Person } from './person.js';

export const ORG = 'bot-bottle';
export const BOT = 'bottle-bot';
export const REPO = 'alice/demo';
const ADMIN = 'forge-admin';

/** Scopes of the bot's two tokens, as the documentation asks for them. */
export const SIDECAR_SCOPES = ['write:issue', 'read:repository', 'read:organization', 'read:user'] as const;
export const PUBLISHER_SCOPES = [
  'write:issue',
  'write:repository',
  'read:organization',
  'read:user',
] as const;

export interface StartGiteaOptions {
  /** Must be empty or not there; by default a new one in the temporary directory. */
  readonly dir?: string;
  /** By default a free one. */
  readonly port?: number;
  /** Hook of the demo repository that delivers every event. */
  readonly webhook?: { readonly url: string; readonly secret: string };
  /** What its configuration has otherwise than usual. */
  readonly ini?: Pick<AppIni, 'rootUrl' | 'allowedHosts' | 'actions'>;
}

/** A running forge with an organization, its bot, a person with a repository, and one without rights. */
export interface Gitea {
  /** `http://127.0.0.1:<port>`; the API is below `/api/v1`. */
  readonly url: string;
  readonly process: GiteaProcess;
  readonly admin: Person;
  /** Owns `alice/demo`. */
  readonly alice: Person;
  /** Has an account and nothing else. */
  readonly mallory: Person;
  readonly bot: {
    readonly login: string;
    readonly password: string;
    readonly sidecarToken: string;
    readonly publisherToken: string;
  };
  addPerson(login: string, access?: 'read' | 'write' | 'admin'): Promise<Person>;
  /** A public repository of a person with the same two files; the bot may write to it. Resolves with `owner/name`. */
  addRepository(owner: Person, name: string): Promise<string>;
  addToken(login: string, password: string, scopes: readonly string[]): Promise<string>;
  addWebhook(repo: string, url: string, secret: string): Promise<void>;
  /** Ends the server and removes its directory; may be called again, and after the server was killed. */
  stop(): Promise<void>;
}

/** Starts a real Gitea that `script/bootstrap` brought. */
export async function startGitea(options: StartGiteaOptions = {}): Promise<Gitea> {
  if (options.dir !== undefined) await mkdir(options.dir, { recursive: true });
  // Before anything is made: without the program there is nothing to clean up.
  await giteaBinary();
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'bot-bottle-gitea-')));
  const passwords = await copyFurnished(dir, makeAccounts);
  const server = await GiteaProcess.prepare(dir, options.port ?? 0, options.ini);
  try {
    return await furnish(server, passwords, options.webhook);
  } catch (error) {
    await server.remove();
    throw error;
  }
}

/** In a new server: its accounts, and the organization with the bot in it. */
async function makeAccounts(server: GiteaProcess): Promise<Passwords> {
  const password = randomBytes(16).toString('hex');
  // The server makes the database; the command alone doesn't.
  await server.start();
  await server.command(
    ...['admin', 'user', 'create', '--admin', '--username', ADMIN, '--email', `${ADMIN}@example.invalid`],
    ...['--password', password, '--must-change-password=false'],
  );
  const { api } = await personOf(server.url, ADMIN, password);
  const [bot, alice, mallory] = await Promise.all([
    createUser(api, BOT),
    createUser(api, 'alice'),
    createUser(api, 'mallory'),
    api.call('POST', '/orgs', { username: ORG, visibility: 'public' }),
  ]);
  await addToOrg(api, BOT);
  return { admin: password, bot, alice, mallory };
}

async function furnish(
  server: GiteaProcess,
  passwords: Passwords,
  webhook: StartGiteaOptions['webhook'],
): Promise<Gitea> {
  const { url } = server;
  await server.start();
  const [admin, alice, mallory] = await Promise.all([
    personOf(url, ADMIN, passwords.admin),
    personOf(url, 'alice', passwords.alice),
    personOf(url, 'mallory', passwords.mallory),
  ]);
  const addRepository = async (owner: Person, name: string): Promise<string> => {
    await adoptRepository(server, admin, owner, name);
    const repo = `${owner.login}/${name}`;
    await addCollaborator(owner.api, repo, BOT, 'write');
    return repo;
  };
  const [sidecarToken, publisherToken] = await Promise.all([
    addToken(url, BOT, passwords.bot, SIDECAR_SCOPES),
    addToken(url, BOT, passwords.bot, PUBLISHER_SCOPES),
    addRepository(alice, 'demo'),
  ]);

  const gitea: Gitea = {
    url,
    process: server,
    admin,
    alice,
    mallory,
    bot: { login: BOT, password: passwords.bot, sidecarToken, publisherToken },
    async addPerson(login, access) {
      const person = await createPerson(admin.api, url, login);
      if (access !== undefined) await addCollaborator(admin.api, REPO, login, access);
      return person;
    },
    addRepository,
    addToken: (login, secret, scopes) => addToken(url, login, secret, scopes),
    addWebhook: (repo, target, secret) => addWebhook(admin.api, repo, target, secret),
    stop: () => server.remove(),
  };
  if (webhook !== undefined) await gitea.addWebhook(REPO, webhook.url, webhook.secret);
  return gitea;
}

export async function createUser(admin: Api, login: string): Promise<string> {
  const password = randomBytes(16).toString('hex');
  const email = `${login}@example.invalid`;
  await admin.call('POST', '/admin/users', { username: login, email, password, must_change_password: false });
  return password;
}

export async function createPerson(admin: Api, url: string, login: string): Promise<Person> {
  return personOf(url, login, await createUser(admin, login));
}

async function personOf(url: string, login: string, password: string): Promise<Person> {
  return new Person(url, login, password, await addToken(url, login, password, ['all']), REPO);
}

export async function addToken(
  url: string,
  login: string,
  password: string,
  scopes: readonly string[],
): Promise<string> {
  const name = `token-${randomBytes(6).toString('hex')}`;
  return textIn(
    await withPassword(url, login, password).object('POST', `/users/${login}/tokens`, { name, scopes }),
    'sha1',
  );
}

/** Membership is private, as Gitea makes it. The team has no repository: it makes members, it gives no rights. */
export async function addToOrg(admin: Api, login: string): Promise<void> {
  const team = await admin.object('POST', `/orgs/${ORG}/teams`, {
    name: 'agents',
    permission: 'read',
    units: ['repo.issues'],
  });
  await admin.call('PUT', `/teams/${String(team['id'])}/members/${login}`);
}

export async function addCollaborator(
  api: Api,
  repo: string,
  login: string,
  permission: string,
): Promise<void> {
  await api.call('PUT', `/repos/${repo}/collaborators/${login}`, { permission });
}

const EVENTS = [
  'push',
  'create',
  'delete',
  'fork',
  'issues',
  'issue_comment',
  'pull_request',
  'release',
  'repository',
  'status',
];

async function addWebhook(admin: Api, repo: string, url: string, secret: string): Promise<void> {
  // "issues" and "pull_request" stand for all their kinds: assignments, labels, comments, reviews, synchronizations.
  await admin.call('POST', `/repos/${repo}/hooks`, {
    type: 'gitea',
    active: true,
    events: EVENTS,
    config: { url, content_type: 'json', secret },
  });
}
