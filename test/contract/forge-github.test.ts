import { GithubClient } from '../../src/adapters/github/github-client.js';
import { githubForgeFor } from '../../src/adapters/github/github-forge.js';
import { GithubPerson } from '../support/github/person.js';
import { ORG, startGithub } from '../support/github/start-github.js';
import type { LocalGithub } from '../support/github/start-github.js';
import { describeForge } from './forge.contract.js';

/** Twice: GitHub itself, and an Enterprise server, whose API is a path of it. */
for (const [name, prefix] of [
  ['GitHub', ''],
  ['GitHub Enterprise', '/api/v3'],
] as const) {
  let github: LocalGithub | undefined;
  let client: GithubClient | undefined;

  describeForge(`${name} (its API, served here)`, async () => {
    const { server, repo, bot, alice, mallory } = (github = await startGithub(prefix));
    const { state } = server;
    // Long lists come in several pages without hundreds of items.
    server.pageCap = 20;
    client = new GithubClient({ baseUrl: server.url, token: bot.token });
    return {
      forge: githubForgeFor(client)({ forge: 'github', owner: 'alice', repo: 'demo' }),
      org: ORG,
      bot: bot.login,
      owner: alice,
      stranger: mallory,
      issueRef: '',
      async prFromFork(branch) {
        const fork = state.addRepo(mallory.user, 'demo', { forkOf: repo });
        const outside = new GithubPerson(state, mallory.user, fork);
        await outside.createFile({ branch, path: 'evil.txt', content: 'evil\n' });
        return outside.openPr({ title: 'From outside', head: branch });
      },
      reactionsOn: (number) =>
        Promise.resolve(
          state.reactions
            .filter(({ issue }) => issue === alice.issue(number))
            .map(({ user, content }) => ({ login: user.login, content })),
        ),
      requestedReviewers: (number) =>
        Promise.resolve([...(alice.issue(number).pull?.requested ?? [])].map((user) => user.login)),
      issueBody: (number) => Promise.resolve(alice.issue(number).body),
    };
  });

  after(async () => {
    client?.close();
    await github?.server.stop();
  });
}
