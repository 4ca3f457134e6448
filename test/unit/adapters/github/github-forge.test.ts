import assert from 'node:assert/strict';
import { GithubClient } from '../../../../src/adapters/github/github-client.js';
import { githubForgeFor } from '../../../../src/adapters/github/github-forge.js';
import { InvalidInputError } from '../../../../src/domain/errors.js';
import type { Forge } from '../../../../src/domain/forge.js';
import { refusal } from '../../../support/github/exchange.js';
import { startGithub } from '../../../support/github/start-github.js';
import type { LocalGithub } from '../../../support/github/start-github.js';

describe('GitHub behind the port, where it is unlike Gitea', () => {
  let github: LocalGithub;
  let client: GithubClient;
  let forge: Forge;

  beforeEach(async () => {
    github = await startGithub();
    client = new GithubClient({ baseUrl: github.server.url, token: github.bot.token, retry: { baseMs: 1 } });
    forge = githubForgeFor(client)({ forge: 'github', owner: 'alice', repo: 'demo' });
  });

  afterEach(async () => {
    client.close();
    await github.server.stop();
  });

  async function branch(name: string): Promise<string> {
    await github.alice.createFile({ branch: name, path: 'a.txt', content: 'a\n' });
    return name;
  }

  it('opens a WIP: title as a draft', async () => {
    const head = await branch('one');
    const opened = await forge.openPr({ title: 'WIP: not yet', body: '', head, base: 'main' });
    assert.deepEqual([opened.title, opened.draft], ['not yet', true]);
  });

  it('keeps the WIP: where the plan has no drafts', async () => {
    const { state } = github.server;
    const hidden = state.addRepo(github.alice.user, 'hidden', { isPrivate: true });
    hidden.roles.set(github.bot, 'write');
    hidden.branches.set('one', state.commit('a.txt', 'a\n'));
    const other = githubForgeFor(client)({ forge: 'github', owner: 'alice', repo: 'hidden' });
    const opened = await other.openPr({ title: 'WIP: not yet', body: '', head: 'one', base: 'main' });
    assert.deepEqual([opened.title, opened.draft], ['WIP: not yet', false]);
  });

  it('adopts a pull request that was opened between looking and opening', async () => {
    const head = await branch('one');
    const number = await github.alice.openPr({ title: 'first', head });
    // The search that finds nothing yet.
    github.server.instead.push({ status: 200, json: [] });
    const opened = await forge.openPr({ title: 'second', body: '', head, base: 'main' });
    assert.deepEqual([opened.number, opened.title], [number, 'first']);
  });

  it('finds what it made when the answer was lost', async () => {
    const number = await github.alice.createIssue({ title: 'talk' });
    const first = await forge.postComment(number, 'hello', 'm');
    // Who it is is known; the search that finds nothing yet, and the lost answer to posting.
    github.server.instead.push({ status: 200, json: [] }, refusal(502, 'Server Error'));
    const again = await forge.postComment(number, 'hello', 'm');
    assert.equal(again.id, first.id);
    assert.equal((await github.alice.comments(number)).length, 1);
  });

  it('takes away the younger of two comments that were posted at once', async () => {
    const number = await github.alice.createIssue({ title: 'talk' });
    const first = await forge.postComment(number, 'hello', 'm');
    github.server.state.addComment(github.alice.issue(number), github.bot, first.body);
    assert.equal((await forge.postComment(number, 'hello', 'm')).id, first.id);
    assert.deepEqual(
      (await github.alice.comments(number)).map(({ id }) => id),
      [first.id],
    );
  });

  it('reads statuses and check runs together', async () => {
    const sha = await github.alice.createFile({ branch: 'one', path: 'a.txt', content: 'a\n' });
    const number = await github.alice.openPr({ title: 'x', head: 'one' });
    await github.alice.setStatus(sha, 'ci/old', 'success', 'fine');
    const run = {
      id: 5,
      sha,
      name: 'build',
      status: 'completed',
      conclusion: 'failure',
      title: '2 failed',
    } as const;
    github.server.state.checkRuns.push(run);
    assert.deepEqual(await forge.readChecks(number), [
      { context: 'ci/old', state: 'success', description: 'fine' },
      { context: 'build', state: 'failure', description: '2 failed' },
    ]);
  });

  it('keeps the words of a dismissed review and leaves a pending one out', async () => {
    await branch('one');
    const number = await github.alice.openPr({ title: 'x', head: 'one' });
    for (const body of ['dismissed', 'pending'])
      await github.alice.review(number, { verdict: 'approve', body });
    const [dismissed, pending] = github.server.state.reviews;
    assert.ok(dismissed !== undefined && pending !== undefined);
    dismissed.state = 'DISMISSED';
    pending.state = 'PENDING';
    assert.deepEqual(
      (await forge.readReviews(number)).map(({ state, body }) => [state, body]),
      [['commented', 'dismissed']],
    );
  });

  it('knows who pushed to a pull request, which its timeline does not say', async () => {
    await branch('one');
    const number = await github.alice.openPr({ title: 'x', head: 'one' });
    const sha = await github.alice.createFile({ branch: 'one', path: 'b.txt', content: 'b\n' });
    const pushes = (await forge.readTimeline(number)).filter((act) => act.kind === 'pushed');
    assert.deepEqual(
      pushes.map(({ actor, what }) => [actor.login, what]),
      [['alice', sha]],
    );
    assert.equal((await forge.readPr(number)).head.sha, sha);
  });

  it('gives every act an id that grows, and the opening none', async () => {
    const number = await github.alice.createIssue({ title: 'x', labels: ['a', 'b'], assignees: ['mallory'] });
    const ids = (await forge.readTimeline(number)).map((act) => act.id);
    assert.equal(ids[0], 0);
    assert.deepEqual(
      ids,
      [...ids].sort((a, b) => a - b),
    );
    assert.equal(new Set(ids).size, 4);
  });

  it('finds the open pull requests that name an issue, once each', async () => {
    const wanted = await github.alice.createIssue({ title: 'wanted' });
    await github.alice.comment(wanted, 'noise');
    const body = `Closes #${String(wanted)}, really #${String(wanted)}`;
    await branch('one');
    await branch('two');
    const open = await github.alice.openPr({ title: 'open', head: 'one', body });
    const closed = await github.alice.openPr({ title: 'closed', head: 'two', body });
    await github.alice.closePr(closed);
    await github.alice.createIssue({ title: 'no pull request', body });
    assert.deepEqual(await forge.readLinkedPulls(wanted), [{ number: open, title: 'open', author: 'alice' }]);
  });

  it('finds a repository under its id after it was renamed', async () => {
    const { id } = github.repo;
    github.repo.name = 'renamed';
    assert.deepEqual(await forge.whereIs(id), { repoId: id, owner: 'alice', repo: 'renamed' });
    assert.equal(await forge.whereIs(999_999), undefined);
  });

  it('says 404 for an issue that was deleted or moved to another repository', async () => {
    const number = await github.alice.createIssue({ title: 'x' });
    for (const away of ['deleted', 'moved'] as const) {
      github.alice.issue(number).away = away;
      await assert.rejects(forge.readIssue(number), { name: 'ForgeHttpError', status: 404 });
    }
  });

  it('takes maintain for write and triage for read', async () => {
    const { mallory, repo } = github;
    for (const [role, expected] of [
      ['maintain', 'write'],
      ['triage', 'read'],
      ['admin', 'admin'],
    ] as const) {
      repo.roles.set(mallory.user, role);
      assert.equal(await forge.permissionOf('mallory'), expected);
    }
  });

  it('does not guess at a membership that it cannot see', async () => {
    const { org, bot, mallory } = github;
    org.members.delete(bot);
    await assert.rejects(forge.isOrgMember(org.login, 'mallory'), {
      name: 'ForgeHttpError',
      status: 403,
      message: /the bot is not a member of "bot-bottle"/,
    });
    org.publicMembers.add(mallory.user);
    assert.equal(await forge.isOrgMember(org.login, 'mallory'), true);
  });

  it('asks nothing about nobody: without a name the path would be the list of all', async () => {
    for (const ask of [
      () => forge.isOrgMember(github.org.login, ''),
      () => forge.isOrgMember('', 'mallory'),
      () => forge.permissionOf(''),
    ])
      await assert.rejects(ask, InvalidInputError);
    assert.equal(github.server.seen.length, 0);
  });

  it('asks nothing more once the hourly limit is used up', async () => {
    const number = await github.alice.createIssue({ title: 'x' });
    github.server.limit.remaining = 0;
    await assert.rejects(forge.readIssue(number), { name: 'ForgeHttpError', status: 429, retryable: true });
    assert.equal(github.server.seen.length, 1);
  });

  it('belongs to a repository whose name is one', () => {
    for (const [owner, repo] of [
      ['..', 'demo'],
      ['alice', 'a/b'],
    ] as const)
      assert.throws(() => githubForgeFor(client)({ forge: 'github', owner, repo }), InvalidInputError);
  });
});
