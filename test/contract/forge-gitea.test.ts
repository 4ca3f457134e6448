import { GiteaClient } from '../../src/adapters/gitea/gitea-client.js';
import { giteaForgeFor } from '../../src/adapters/gitea/gitea-forge.js';
import { textIn } from '../support/gitea/api.js';
import { sharedGitea } from '../support/gitea/shared-gitea.js';
import { ORG, REPO } from '../support/gitea/start-gitea.js';
import { describeForge } from './forge.contract.js';

let client: GiteaClient | undefined;

describeForge('Gitea', async () => {
  const gitea = await sharedGitea();
  const { alice, mallory, bot } = gitea;
  client = new GiteaClient({ baseUrl: gitea.url, token: bot.publisherToken });
  return {
    forge: giteaForgeFor(client)({ forge: 'gitea', owner: 'alice', repo: 'demo' }),
    org: ORG,
    bot: bot.login,
    owner: alice,
    stranger: mallory,
    issueRef: 'main',
    async prFromFork(branch) {
      const fork = mallory.on('mallory/demo');
      await mallory.api.call('POST', `/repos/${REPO}/forks`, {});
      await fork.createFile({ branch, path: 'evil.txt', content: 'evil\n', from: 'main' });
      return mallory.openPr({ title: 'From outside', head: `mallory:${branch}` });
    },
    async reactionsOn(number) {
      const list = await alice.api.list(`/repos/${REPO}/issues/${String(number)}/reactions`);
      return list.map((item) => ({
        login: textIn(item['user'] as Record<string, unknown>, 'login'),
        content: textIn(item, 'content'),
      }));
    },
    async requestedReviewers(number) {
      const pr = await alice.api.object('GET', `/repos/${REPO}/pulls/${String(number)}`);
      return (pr['requested_reviewers'] as Record<string, unknown>[]).map((user) => textIn(user, 'login'));
    },
    async switchUnits({ issues, pulls }) {
      const units = { has_issues: issues, has_pull_requests: pulls };
      await alice.api.call('PATCH', `/repos/${REPO}`, units);
    },
    async hide(isHidden) {
      await alice.api.call('PATCH', `/repos/${REPO}`, { private: isHidden });
    },
    async issueBody(number) {
      return textIn(await alice.api.object('GET', `/repos/${REPO}/issues/${String(number)}`), 'body');
    },
  };
});

after(() => {
  client?.close();
});
