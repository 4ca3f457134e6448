import assert from 'node:assert/strict';
import { GithubClient } from '../../../../src/adapters/github/github-client.js';
import { checkTokenRights } from '../../../../src/adapters/github/token-rights.js';
import { ORG, startGithub } from '../../../support/github/start-github.js';
import type { LocalGithub } from '../../../support/github/start-github.js';

describe("what a token of GitHub's lacks", () => {
  let github: LocalGithub;
  let client: GithubClient;

  beforeEach(async () => {
    github = await startGithub();
    client = new GithubClient({ baseUrl: github.server.url, token: github.bot.token });
  });

  afterEach(async () => {
    client.close();
    await github.server.stop();
  });

  async function found(...repos: readonly string[]): Promise<string[]> {
    const refs = repos.map((repo) => ({ forge: 'github', owner: 'alice', repo }) as const);
    const findings = await checkTokenRights(client, { org: ORG, repos: refs });
    return findings.map(({ severity, message }) => `${severity}: ${message}`);
  }

  it('is nothing for a member with write access', async () => {
    assert.deepEqual(await found('demo'), []);
  });

  it('is the membership, where it can be seen or not', async () => {
    const { org, bot } = github;
    org.members.delete(bot);
    assert.match((await found()).join(), /^error: bottle-bot is not a member of bot-bottle/);
  });

  it('is write access, and an admin has too much', async () => {
    const { repo, bot } = github;
    repo.roles.set(bot, 'triage');
    assert.match((await found('demo')).join(), /^error: bottle-bot may not write to alice\/demo/);
    repo.roles.set(bot, 'admin');
    assert.match((await found('demo')).join(), /^warning: bottle-bot is an admin of alice\/demo/);
    assert.match((await found('none')).join(), /^error: alice\/none is not there or hidden/);
  });

  it('is everything when the token is not taken', async () => {
    const stale = new GithubClient({ baseUrl: github.server.url, token: 'expired' });
    await assert.rejects(checkTokenRights(stale, { org: ORG, repos: [] }), {
      name: 'ForgeHttpError',
      status: 401,
    });
    stale.close();
  });
});
