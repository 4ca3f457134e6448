import assert from 'node:assert/strict';
import { loadConfig } from '../../../src/config/load-config.js';
import type { Config, Environment } from '../../../src/config/load-config.js';
import { forgeOfConfig, forgePages } from '../../../src/wiring/forge-of-config.js';

const config = (env: Environment): Config =>
  loadConfig({ BOT_BOTTLE_HOME: '/nonexistent/bot-bottle-home', ...env }).config;

describe('the forge that the configuration names', () => {
  it('is a Gitea, and needs its address', () => {
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

  it('has forks of the bot’s only where FORGE_PUBLISH asks for them', () => {
    const gitea = { FORGE_GITEA_API: 'https://git.example' };
    assert.equal(forgeOfConfig(config(gitea)).forks(String), null);
    assert.notEqual(forgeOfConfig(config({ ...gitea, FORGE_PUBLISH: 'fork' })).forks(String), null);
  });
});
