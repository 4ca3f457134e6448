import { GithubServer } from './github-server.js';
import { GithubPerson } from './person.js';
import type { Organization, Repo, User } from './state.js';

export const ORG = 'bot-bottle';

export interface LocalGithub {
  readonly server: GithubServer;
  readonly org: Organization;
  /** `alice/demo`, public. */
  readonly repo: Repo;
  /** Private member of the organization, may write. */
  readonly bot: User;
  readonly alice: GithubPerson;
  /** An account without a right here. */
  readonly mallory: GithubPerson;
}

/** The same world as the tests' Gitea has. @param prefix `/api/v3` for one like an Enterprise server's */
export async function startGithub(prefix = ''): Promise<LocalGithub> {
  const server = await GithubServer.start(prefix);
  const { state } = server;
  const [alice, bot, mallory] = [
    state.addUser('alice'),
    state.addUser('bottle-bot'),
    state.addUser('mallory'),
  ];
  const org = { login: ORG, members: new Set([bot]), publicMembers: new Set<User>() };
  state.orgs.push(org);
  const repo = state.addRepo(alice, 'demo');
  repo.roles.set(bot, 'write');
  return {
    server,
    org,
    repo,
    bot,
    alice: new GithubPerson(state, alice, repo),
    mallory: new GithubPerson(state, mallory, repo),
  };
}
