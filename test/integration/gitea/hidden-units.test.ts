import assert from 'node:assert/strict';
import { GiteaClient } from '../../../src/adapters/gitea/gitea-client.js';
import { giteaForgeFor } from '../../../src/adapters/gitea/gitea-forge.js';
import { sharedGitea } from '../../support/gitea/shared-gitea.js';
import type { Gitea } from '../../support/gitea/start-gitea.js';

describe('what no team of the bot may see on Gitea', () => {
  let gitea: Gitea;
  let client: GiteaClient;

  before(async function () {
    this.timeout(90_000);
    gitea = await sharedGitea();
    client = new GiteaClient({ baseUrl: gitea.url, token: gitea.bot.publisherToken });
    await gitea.admin.api.call('POST', '/orgs', { username: 'parts' });
  });

  after(() => {
    client.close();
  });

  for (const shown of ['issues', 'pulls'] as const)
    it(`is told like what is switched off, in a repository that shows ${shown} alone`, async () => {
      const { api } = gitea.admin;
      await api.call('POST', '/orgs/parts/repos', { name: shown, private: true, auto_init: true });
      const units = ['repo.code', `repo.${shown}`];
      const team = await api.object('POST', '/orgs/parts/teams', { name: shown, permission: 'read', units });
      await api.call('PUT', `/teams/${String(team['id'])}/repos/parts/${shown}`);
      await api.call('PUT', `/teams/${String(team['id'])}/members/${gitea.bot.login}`);
      const forge = giteaForgeFor(client)({ forge: 'gitea', owner: 'parts', repo: shown });
      // The repository itself is there all the same.
      const { id } = await forge.readRepository();
      assert.equal((await forge.whereIs(id))?.repo, shown);
      const seen = [await forge.canRead('issues'), await forge.canRead('pulls')];
      assert.deepEqual(seen, [shown === 'issues', shown === 'pulls']);
    });
});
