import assert from 'node:assert/strict';
import { botOwnership } from '../../../src/adapters/gitea/bot-ownership.js';
import { GiteaClient } from '../../../src/adapters/gitea/gitea-client.js';
import { giteaForgeFor } from '../../../src/adapters/gitea/gitea-forge.js';
import { checkTokenRights } from '../../../src/adapters/gitea/token-rights.js';
import type { TokenPurpose } from '../../../src/adapters/gitea/token-rights.js';
import type { RepoRef } from '../../../src/domain/forge/issue.js';
import type { Forge } from '../../../src/domain/forge/forge.js';
import { withPassword } from '../../support/gitea/api.js';
import { sharedGitea } from '../../support/gitea/shared-gitea.js';
import { ORG } from '../../support/gitea/start-gitea.js';
import type { Gitea } from '../../support/gitea/start-gitea.js';

const DEMO: RepoRef = { forge: 'gitea', owner: 'alice', repo: 'demo' };

describe('rights of a token on Gitea', () => {
  let gitea: Gitea;
  const clients: GiteaClient[] = [];

  before(async function () {
    this.timeout(90_000);
    gitea = await sharedGitea();
  });

  after(() => {
    for (const client of clients) client.close();
  });

  function clientWith(token: string): GiteaClient {
    const client = new GiteaClient({ baseUrl: gitea.url, token, retry: { tries: 1 } });
    clients.push(client);
    return client;
  }

  function forgeWith(token: string, ref = DEMO): Forge {
    return giteaForgeFor(clientWith(token))(ref);
  }

  async function findings(
    token: string,
    purpose: TokenPurpose,
    repos: readonly RepoRef[] = [DEMO],
    org = ORG,
  ): Promise<string[]> {
    const found = await checkTokenRights(clientWith(token), { org, purpose, repos });
    return found.map(({ severity, message }) => `${severity}: ${message}`);
  }

  it('are complete for the two tokens as documented', async () => {
    assert.deepEqual(await findings(gitea.bot.sidecarToken, 'sidecar'), []);
    assert.deepEqual(await findings(gitea.bot.publisherToken, 'publisher'), []);
  });

  it('can do without write access where runs publish from forks, but not without a fork that can be made', async () => {
    const publisher = clientWith(gitea.bot.publisherToken);
    const ask = { org: ORG, purpose: 'publisher', publish: 'fork' } as const;
    const repo = `fork-${String(Date.now())}`;
    await gitea.addRepository(gitea.alice, repo);
    const repos = [{ ...DEMO, repo }];
    const path = `/repos/alice/${repo}/collaborators/${gitea.bot.login}`;
    await gitea.alice.api.call('PUT', path, { permission: 'read' });
    const [warned, more] = await checkTokenRights(publisher, { ...ask, repos });
    assert.ok(warned?.severity === 'warning' && more === undefined);
    assert.match(warned.message, /may not write to .*FORGE_TRIGGER/);
    assert.match(
      (await findings(gitea.bot.publisherToken, 'publisher', repos)).join(),
      /^error: .*may not write/,
    );
    const bot = withPassword(gitea.url, gitea.bot.login, gitea.bot.password);
    await bot.call('POST', '/user/repos', { name: `alice-${repo}` });
    const [found] = await checkTokenRights(publisher, { ...ask, repos });
    assert.ok(found?.severity === 'error' && found.message.includes('is no fork of'));
  });

  it("let the sidecar's token do its work and no more", async () => {
    const forge = forgeWith(gitea.bot.sidecarToken);
    const number = await gitea.alice.createIssue({ title: 'sidecar', body: 'old' });
    await gitea.alice.createFile({ branch: 'side', path: 'side.txt', content: 'x\n', from: 'main' });
    const pr = await gitea.alice.openPr({ title: 'side', head: 'side' });
    await forge.postComment(number, 'hi', 'sidecar/1');
    await forge.updateDescription(number, 'new');
    await forge.updateDescription(pr, 'new');
    await forge.readPr(pr);
    await forge.readDiff(pr);
    await forge.readChecks(pr);
    await forge.readReviews(pr);
    await assert.rejects(forge.requestReview(pr, 'alice'), {
      name: 'ForgeHttpError',
      status: 403,
      retryable: false,
      message: /lacks the scope write:repository/,
    });
  });

  it('name every missing scope', async () => {
    const { bot } = gitea;
    const narrow = await gitea.addToken(bot.login, bot.password, ['read:issue', 'read:user']);
    const found = (await findings(narrow, 'publisher', [])).join('\n');
    for (const scope of ['read:organization', 'read:repository', 'write:issue', 'write:repository']) {
      assert.match(found, new RegExp(`error: .*${scope}`));
    }
    assert.deepEqual((await findings(bot.sidecarToken, 'publisher', [])).length, 1);
    const blind = await gitea.addToken(bot.login, bot.password, ['write:issue']);
    assert.match((await findings(blind, 'sidecar')).join(), /^error: read:user is needed/);
  });

  it('change nothing while they are checked', async () => {
    const before = await gitea.alice.api.list('/repos/alice/demo/issues?state=all&limit=50');
    await findings(gitea.bot.publisherToken, 'publisher');
    assert.deepEqual(await gitea.alice.api.list('/repos/alice/demo/issues?state=all&limit=50'), before);
  });

  it('miss membership and write access for a stranger', async () => {
    const found = await findings(gitea.mallory.token, 'sidecar');
    assert.equal(found.length, 2);
    assert.match(found[0] ?? '', /^error: mallory is not a member of bot-bottle/);
    assert.match(found[1] ?? '', /^error: mallory may not write to alice\/demo/);
  });

  it('are too wide for administrators', async () => {
    assert.match(
      (await findings(gitea.admin.token, 'sidecar')).join('\n'),
      /warning: forge-admin is an administrator/,
    );
    assert.match(
      (await findings(gitea.alice.token, 'sidecar')).join('\n'),
      /warning: alice is an admin of alice\/demo/,
    );
  });

  it('are those of an owner nowhere, by whatever FORGE_REPOS says', async () => {
    const owned = async (token: string, login: string, ...patterns: string[]): Promise<string> =>
      (await botOwnership(clientWith(token), { login, org: ORG, patterns })).join('\n');
    const { bot, alice, admin } = gitea;
    assert.equal(await owned(bot.sidecarToken, bot.login, 'alice/*', 'alice/demo', `${ORG}/*`), '');
    assert.match(
      await owned(alice.token, 'alice', 'Alice/*'),
      /^alice is the bot and the owner of alice\/\*/,
    );
    assert.match(await owned(alice.token, 'alice', '*'), /^alice is the bot and the owner of alice\/[a-z]/);
    assert.match(
      await owned(admin.token, 'forge-admin', 'alice/*', 'no-such-org/*'),
      /^forge-admin is an owner of the organization bot-bottle: put the bot into a team that writes/,
    );
  });

  it('say when the organization or the repository is not there', async () => {
    assert.match(
      (await findings(gitea.bot.sidecarToken, 'sidecar', [], 'no-such-org')).join(),
      /error: there is no organization/,
    );
    const missing = await findings(gitea.bot.sidecarToken, 'sidecar', [{ ...DEMO, repo: 'gone' }]);
    assert.match(missing.join(), /error: alice\/gone is not there or hidden/);
  });

  it('are an error with what to do for a token the forge does not know', async () => {
    for (const attempt of [
      () => findings('0'.repeat(40), 'sidecar'),
      () => forgeWith('0'.repeat(40)).whoAmI(),
    ]) {
      await assert.rejects(attempt, (error: unknown) => {
        assert.ok(error instanceof Error);
        assert.match(error.message, /401.*FORGE_TOKEN_FILE/);
        assert.ok(!error.message.includes('0000'));
        return true;
      });
    }
  });

  it('make membership an error, not a guess, for a token outside the organization', async () => {
    const forge = forgeWith(gitea.mallory.token);
    await assert.rejects(forge.isOrgMember(ORG, gitea.bot.login), {
      name: 'ForgeHttpError',
      status: 403,
      message: /not a member/,
    });
    await gitea.addPerson('paul');
    await gitea.admin.api.call('PUT', '/teams/2/members/paul');
    await gitea.admin.api.call('PUT', `/orgs/${ORG}/public_members/paul`);
    assert.equal(await forge.isOrgMember(ORG, 'paul'), true);
  });

  it('list members and writers as they are asked about one by one', async () => {
    const forge = forgeWith(gitea.bot.publisherToken);
    const [members, writers] = await Promise.all([forge.readOrgMembers(ORG), forge.readWriters()]);
    for (const login of [gitea.bot.login, 'alice', 'mallory']) {
      assert.equal(members.includes(login), await forge.isOrgMember(ORG, login), login);
      assert.equal(writers.includes(login), /write|admin/.test(await forge.permissionOf(login)), login);
    }
    assert.ok(members.includes(gitea.bot.login) && writers.includes('alice') && !writers.includes('mallory'));
  });
});

describe('what a person may do, asked by a bot that is no admin', () => {
  let gitea: Gitea;
  let client: GiteaClient;

  before(async function () {
    this.timeout(90_000);
    gitea = await sharedGitea();
    client = new GiteaClient({ baseUrl: gitea.url, token: gitea.bot.sidecarToken });
  });

  after(() => {
    client.close();
  });

  it('is told apart for collaborators of each kind', async () => {
    const forge = giteaForgeFor(client)(DEMO);
    await Promise.all([
      gitea.addPerson('rita', 'read'),
      gitea.addPerson('will', 'write'),
      gitea.addPerson('ada', 'admin'),
    ]);
    assert.equal(await forge.permissionOf('rita'), 'read');
    assert.equal(await forge.permissionOf('Will'), 'write');
    // Enough for every rule there is; the exact answer is for repository admins.
    assert.equal(await forge.permissionOf('ada'), 'write');
  });

  it('is nothing in a private repository for those who were not let in', async () => {
    const repo = await gitea.addRepository(gitea.alice, 'hidden');
    await gitea.alice.api.call('PATCH', `/repos/${repo}`, { private: true });
    await gitea.addPerson('rosa');
    await gitea.alice.api.call('PUT', `/repos/${repo}/collaborators/rosa`, { permission: 'read' });
    const forge = giteaForgeFor(client)({ ...DEMO, repo: 'hidden' });
    assert.equal(await forge.permissionOf('mallory'), 'none');
    assert.equal(await forge.permissionOf('rosa'), 'read');
    assert.equal(await forge.permissionOf('alice'), 'write');
  });

  it("is never more than it is in an organization's repository", async () => {
    const { api } = gitea.admin;
    await api.call('POST', '/orgs', { username: 'acme' });
    await api.call('POST', '/orgs/acme/repos', { name: 'tool', auto_init: true });
    const units = ['repo.code', 'repo.issues', 'repo.pulls'];
    const writers = await api.object('POST', '/orgs/acme/teams', {
      name: 'writers',
      permission: 'write',
      units,
    });
    await Promise.all([gitea.addPerson('wanda'), gitea.addPerson('reba')]);
    const member = (team: unknown, login: string): string => `/teams/${String(team)}/members/${login}`;
    await api.call('PUT', `/teams/${String(writers['id'])}/repos/acme/tool`);
    await api.call('PUT', member(writers['id'], 'wanda'));
    await api.call('PUT', '/repos/acme/tool/collaborators/bottle-bot', { permission: 'write' });
    const forge = giteaForgeFor(client)({ forge: 'gitea', owner: 'acme', repo: 'tool' });
    assert.equal(await forge.permissionOf('wanda'), 'write', 'every team writes');
    assert.equal(await forge.permissionOf('reba'), 'read');
    const known = async (): Promise<string[]> =>
      (await forge.readWriters()).filter((login) => ['wanda', 'reba'].includes(login));
    assert.deepEqual(await known(), ['wanda']);

    const readers = await api.object('POST', '/orgs/acme/teams', {
      name: 'readers',
      permission: 'read',
      units,
    });
    await api.call('PUT', `/teams/${String(readers['id'])}/repos/acme/tool`);
    await api.call('PUT', member(readers['id'], 'reba'));
    const assignable = await api.list('/repos/acme/tool/assignees');
    assert.ok(
      assignable.some((user) => user['login'] === 'reba'),
      'Gitea lets an issue be assigned to a reader',
    );
    assert.equal(await forge.permissionOf('reba'), 'read', 'a reader who can be assigned');
    assert.equal(await forge.permissionOf('wanda'), 'read', "the bot can't see the team");
    assert.deepEqual(await known(), []);
    const ask = {
      org: ORG,
      purpose: 'sidecar',
      repos: [{ forge: 'gitea', owner: 'acme', repo: 'tool' }],
    } as const;
    const [warned] = await checkTokenRights(client, ask);
    assert.match(warned?.message ?? '', /can't tell who may write to acme\/tool.*add it to a team of acme/);
    await api.call('PUT', member(writers['id'], 'bottle-bot'));
    assert.equal(await forge.permissionOf('wanda'), 'write', 'the bot sees her in its own team');
    assert.deepEqual(await known(), ['wanda']);
    assert.deepEqual(await checkTokenRights(client, ask), []);
    assert.equal(await forge.permissionOf('reba'), 'read');
  });

  it('is exact for an admin', async () => {
    const admin = new GiteaClient({ baseUrl: gitea.url, token: gitea.alice.token });
    try {
      const forge = giteaForgeFor(admin)(DEMO);
      assert.equal(await forge.permissionOf('alice'), 'admin');
      assert.equal(await forge.permissionOf('bottle-bot'), 'write');
      assert.equal(await forge.permissionOf('no-such-user'), 'none');
    } finally {
      admin.close();
    }
  });
});
