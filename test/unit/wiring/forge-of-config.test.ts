import assert from 'node:assert/strict';
import { loadConfig } from '../../../src/config.js';
import type { Config, Environment } from '../../../src/config.js';
import { InvalidInputError } from '../../../src/domain/errors.js';
import { forgeOfConfig, forgePages } from '../../../src/wiring/forge-of-config.js';
import { startGithub } from '../../support/github/start-github.js';

const config = (env: Environment): Config =>
  loadConfig({ BOT_BOTTLE_HOME: '/nonexistent/bot-bottle-home', ...env }).config;

describe('the forge that the configuration names', () => {
  it('is a Gitea unless it says otherwise, and needs its address', () => {
    const { kind, api, webUrl } = forgeOfConfig(
      config({ FORGE_GITEA_API: 'https://git.example/sub/api/v1/' }),
    );
    assert.deepEqual(
      [kind, api, webUrl],
      ['gitea', 'https://git.example/sub/api/v1', 'https://git.example/sub'],
    );
    assert.throws(() => forgeOfConfig(config({})), /FORGE_GITEA_API is not set/);
    assert.deepEqual(forgePages(config({})), { kind: 'gitea', webUrl: null });
  });

  it('is GitHub itself, or an Enterprise server', () => {
    const github = forgeOfConfig(config({ FORGE_KIND: 'github' }));
    assert.deepEqual(
      [github.kind, github.api, github.webUrl],
      ['github', 'https://api.github.com', 'https://github.com'],
    );
    const own = config({ FORGE_KIND: 'github', FORGE_GITHUB_API: 'https://git.example/api/v3' });
    assert.deepEqual(forgePages(own), { kind: 'github', webUrl: 'https://git.example' });
    assert.throws(() => config({ FORGE_KIND: 'gitlab' }), InvalidInputError);
  });

  it('has forks of the bot’s only where FORGE_PUBLISH asks for them, and never on GitHub', () => {
    const gitea = { FORGE_GITEA_API: 'https://git.example' };
    assert.equal(forgeOfConfig(config(gitea)).forks(String), null);
    assert.notEqual(forgeOfConfig(config({ ...gitea, FORGE_PUBLISH: 'fork' })).forks(String), null);
    assert.throws(
      () => forgeOfConfig(config({ FORGE_KIND: 'github', FORGE_PUBLISH: 'fork' })),
      /FORGE_PUBLISH: fork works with Gitea and Forgejo.*set it to branch/,
    );
  });

  it('answers through the adapter of its kind', async () => {
    const { server, bot } = await startGithub();
    try {
      const forge = forgeOfConfig(config({ FORGE_KIND: 'github', FORGE_GITHUB_API: server.url }));
      const forgeFor = forge.forgeFor(() => bot.token);
      const me = await forgeFor({ forge: 'github', owner: 'alice', repo: 'demo' }).whoAmI();
      assert.equal(me.login, bot.login);
    } finally {
      await server.stop();
    }
  });
});
