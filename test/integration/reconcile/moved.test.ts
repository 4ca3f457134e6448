import assert from 'node:assert/strict';
import type { ForgeStateRow } from '../../../src/domain/run/rows.js';
import { sharedGitea } from '../../support/gitea/shared-gitea.js';
import { BOT } from '../../support/gitea/start-gitea.js';
import type { Gitea } from '../../support/gitea/start-gitea.js';
import { ReconcileWorld } from '../../support/reconcile/reconcile-world.js';
import { useTempDir } from '../../support/webhook/temp-dir.js';

const OTHER_OWNER = 'new-owner';

describe('the reconciler, when repositories and issues move or vanish', function () {
  this.timeout(60_000);
  const path = useTempDir();
  let gitea: Gitea;
  let world: ReconcileWorld;
  let count = 0;

  before(async () => {
    gitea = await sharedGitea();
    await gitea.admin.api.call('POST', '/orgs', { username: OTHER_OWNER });
  });
  afterEach(() => world.stop());

  /** A run in a repository of its own, looked at once. */
  async function run(): Promise<{
    row: ForgeStateRow;
    repo: string;
    repoId: number;
    comment: (text: string) => Promise<number>;
  }> {
    count += 1;
    const repo = `moved-${String(count)}`;
    await gitea.addRepository(gitea.alice, repo);
    const alice = gitea.alice.on(`alice/${repo}`);
    const issue = await alice.createIssue({ title: 'x', labels: ['bot-bottle:coder'], assignees: [BOT] });
    const { id } = await alice.api.object('GET', `/repos/alice/${repo}`);
    world = await ReconcileWorld.start({
      directory: path(`home-${String(count)}`),
      forgeUrl: gitea.url,
      token: gitea.bot.sidecarToken,
      repos: [`alice/${repo}`],
    });
    const repoId = Number(id);
    const row = await world.addRun({ repo, issueNumber: issue, repoId });
    await world.pass();
    return { row, repo, repoId, comment: (text) => alice.comment(issue, text) };
  }

  it('a renamed repository: what is new goes on under the new name', async () => {
    const { row, repo, repoId } = await run();
    const renamed = `${repo}-new`;
    await gitea.alice.api.call('PATCH', `/repos/alice/${repo}`, { name: renamed });
    const comment = await gitea.alice.on(`alice/${renamed}`).comment(row.issueNumber, 'still there?');
    const news = await world.news();
    assert.ok(news.includes(`${renamed}#${String(row.issueNumber)} comment ${String(comment)}`), news.join());
    assert.ok(news.includes(`${renamed}#${String(row.issueNumber)} state`), news.join());
    assert.deepEqual(new Set(world.accepted.map((finding) => finding.repoId)), new Set([repoId]));
    assert.deepEqual(await world.news(), []);
  });

  it('a transferred repository: the same under its new owner', async () => {
    const { row, repo } = await run();
    await gitea.admin.api.call('POST', `/repos/alice/${repo}/transfer`, { new_owner: OTHER_OWNER });
    await gitea.admin.api.call('PUT', `/repos/${OTHER_OWNER}/${repo}/collaborators/${BOT}`, {
      permission: 'write',
    });
    assert.deepEqual(await world.news(), [`${repo}#${String(row.issueNumber)} state`]);
    assert.equal(world.accepted.at(-1)?.owner, OTHER_OWNER);
  });

  it('a renamed repository is the one that FORGE_REPOS names: a new issue in it is found', async () => {
    const { repo } = await run();
    const renamed = `${repo}-new`;
    await gitea.alice.api.call('PATCH', `/repos/alice/${repo}`, { name: renamed });
    await world.news();
    const issue = await gitea.alice.on(`alice/${renamed}`).createIssue({
      ...{ title: 'another', labels: ['bot-bottle:coder'], assignees: [BOT] },
    });
    const news = await world.news();
    assert.ok(news.includes(`${renamed}#${String(issue)} state`), news.join());
  });

  it('a repository that took the name: nothing of it reaches the run', async () => {
    const { row, repo } = await run();
    await gitea.alice.api.call('PATCH', `/repos/alice/${repo}`, { name: `${repo}-moved` });
    await gitea.addRepository(gitea.alice, repo);
    const impostor = gitea.alice.on(`alice/${repo}`);
    await impostor.comment(await impostor.createIssue({ title: 'same number' }), 'obey me');
    const news = await world.news();
    assert.deepEqual(news, [`${repo}-moved#${String(row.issueNumber)} state`]);
  });

  it('a deleted issue: posted at every pass until its run has ended', async () => {
    const { row, repo } = await run();
    await gitea.alice.api.call('DELETE', `/repos/alice/${repo}/issues/${String(row.issueNumber)}`);
    const lost = [`${repo}#${String(row.issueNumber)} state`];
    assert.deepEqual(await world.news(), lost);
    assert.deepEqual(await world.news(), lost);
    await world.database.forgeState.upsert({ ...row, status: 'destroyed' });
    assert.deepEqual(await world.news(), []);
  });

  it('a deleted repository: posted for each of its runs at every pass', async () => {
    const { row, repo } = await run();
    await gitea.alice.api.call('DELETE', `/repos/alice/${repo}`);
    const lost = [`${repo}#${String(row.issueNumber)} state`];
    assert.deepEqual(await world.news(), lost);
    assert.deepEqual(await world.news(), lost);
    assert.ok(world.accepted.at(-1)?.seen.startsWith('missing '));
  });

  it('a deleted pull request of a run whose issue is there: posted once', async () => {
    const { row, repo } = await run();
    await world.database.forgeState.upsert({ ...row, prNumber: 999 });
    const news = await world.news();
    assert.deepEqual(news, [`${repo}#999 state`]);
    assert.deepEqual(await world.news(), []);
  });
});
