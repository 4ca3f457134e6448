import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadConfig, type Config } from '../../../src/config/load-config.js';
import { createLogger } from '../../../src/config/log.js';
import { webhookNeeds } from '../../../src/wiring/webhook/webhook-needs.js';
import { workerNeeds } from '../../../src/wiring/worker/worker-needs.js';
import { assertBotRights } from '../../../src/wiring/start-up-rights.js';
import { sharedGitea } from '../../support/gitea/shared-gitea.js';
import { SIDECAR_SCOPES, type Gitea } from '../../support/gitea/start-gitea.js';
import { useNewPaths } from '../../support/webhook/temp-dir.js';

describe('the rights of the bot when the product starts', function () {
  this.timeout(60_000);
  const newPath = useNewPaths();
  let gitea: Gitea;
  let said: string[];

  before(async () => {
    gitea = await sharedGitea();
  });
  beforeEach(() => {
    said = [];
  });

  function config(token: string, env: Readonly<Record<string, string>> = {}): Config {
    const home = newPath();
    mkdirSync(join(home, 'secrets'), { recursive: true, mode: 0o700 });
    writeFileSync(join(home, 'secrets/forge-token'), token, { mode: 0o600 });
    writeFileSync(join(home, 'secrets/publish-token'), gitea.bot.publisherToken, { mode: 0o600 });
    return loadConfig({
      BOT_BOTTLE_HOME: home,
      FORGE_GITEA_API: `${gitea.url}/api/v1`,
      FORGE_PUBLISH_TOKEN_FILE: join(home, 'secrets/publish-token'),
      FORGE_REPOS: 'alice/demo',
      ...env,
    }).config;
  }
  const check = (of: Config): Promise<void> =>
    assertBotRights(
      of,
      createLogger({
        level: 'info',
        name: 'test',
        secrets: () => new Set(),
        destination: { write: (line) => said.push(line) },
      }),
    );

  it('are enough with the tokens that the documentation asks for', async () => {
    await check(config(gitea.bot.sidecarToken));
    assert.match(said.join(''), /has its rights/);
  });

  it('are an error that names the missing scope', async () => {
    const { login, password } = gitea.bot;
    const scopes = SIDECAR_SCOPES.filter((scope) => scope !== 'write:issue');
    const token = await gitea.addToken(login, password, [...scopes, 'read:issue']);
    const lacking = config(token);
    for (const start of [check, workerNeeds, webhookNeeds])
      await assert.rejects(start(lacking), /lacks rights on the forge: .*write:issue/, start.name);
  });

  it('name the publisher’s token where it is that one which the forge does not accept', async () => {
    const file = join(newPath(), 'publish-token');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'a'.repeat(40), { mode: 0o600 });
    const refused = config(gitea.bot.sidecarToken, { FORGE_PUBLISH_TOKEN_FILE: file });
    await assert.rejects(check(refused), /the token of FORGE_PUBLISH_TOKEN_FILE: GET \/user: 401/);
  });

  it('are not asked for at an address that is not the API’s, and that is said', async () => {
    const elsewhere = config(gitea.bot.sidecarToken, { FORGE_GITEA_API: `${gitea.url}/gitea/api/v1` });
    await assert.rejects(
      check(elsewhere),
      /GET \/user: 404, the forge has no \/user: is FORGE_GITEA_API right\?/,
    );
  });

  it('are an error for a repository that is served and cannot be written', async () => {
    await assert.rejects(
      check(config(gitea.bot.sidecarToken, { FORGE_REPOS: 'alice/demo,alice/nowhere' })),
      /alice\/nowhere is not there or hidden/,
    );
  });

  it('are only said to be unknown while the forge is away', async () => {
    await check(config(gitea.bot.sidecarToken, { FORGE_GITEA_API: 'http://127.0.0.1:9/api/v1' }));
    assert.match(said.join(''), /"level":"warn".*were not checked/);
  });
});
