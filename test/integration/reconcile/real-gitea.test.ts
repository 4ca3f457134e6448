import assert from 'node:assert/strict';
import type { ReconcileStore } from '../../../src/domain/upkeep/reconcile.js';
import type { ForgeStateRow } from '../../../src/domain/run/rows.js';
import { PageSession } from '../../support/deliveries/page-session.js';
import { numberIn, textIn } from '../../support/gitea/api.js';
import { Person } from '../../support/gitea/person.js';
import { BOT, startGitea } from '../../support/gitea/start-gitea.js';
import type { Gitea } from '../../support/gitea/start-gitea.js';
import { waitUntil } from '../../support/stack/stack.js';
import { nextSecond } from '../../support/reconcile/next-second.js';
import { ReconcileWorld } from '../../support/reconcile/reconcile-world.js';
import type { WorldOptions } from '../../support/reconcile/reconcile-world.js';
import { useTempDir } from '../../support/webhook/temp-dir.js';

const LABEL = 'bot-bottle:coder';

describe('the reconciler, asking a real Gitea', function () {
  this.timeout(60_000);
  const path = useTempDir();
  let gitea: Gitea;
  let bob: Person;
  let world: ReconcileWorld;
  let count = 0;

  before(async () => {
    gitea = await startGitea();
    bob = await gitea.addPerson('bob', 'write');
  });
  after(() => gitea.stop());
  afterEach(() => world.stop());

  /** A repository and a home of its own for each test. */
  async function begin(
    options: Partial<WorldOptions> = {},
  ): Promise<{ alice: Person; repo: string; repoId: number }> {
    count += 1;
    const repo = `r${String(count)}`;
    await gitea.addRepository(gitea.alice, repo);
    await gitea.alice.api.call('PUT', `/repos/alice/${repo}/collaborators/bob`, { permission: 'write' });
    world = await ReconcileWorld.start({
      directory: path(`home-${String(count)}`),
      forgeUrl: gitea.url,
      token: gitea.bot.sidecarToken,
      repos: [`alice/${repo}`],
      ...options,
    });
    const { id } = await gitea.alice.api.object('GET', `/repos/alice/${repo}`);
    return { alice: gitea.alice.on(`alice/${repo}`), repo, repoId: Number(id) };
  }

  async function trigger(alice: Person): Promise<number> {
    return alice.createIssue({ title: 'Do it', labels: [LABEL], assignees: [BOT] });
  }

  async function openPr(alice: Person, branch: string): Promise<number> {
    await alice.createFile({ branch, from: 'main', path: `${branch}.txt`, content: 'a' });
    return alice.openPr({ title: branch, head: branch });
  }

  /** Gitea deals with a push after it has answered: only then the pull request has changed for the last time. */
  async function pushIsNoted(alice: Person, pr: number, sha: string): Promise<void> {
    await waitUntil('the push to stand in the timeline', async () => {
      const timeline = await alice.api.list(`/repos/${alice.repo}/issues/${String(pr)}/timeline`);
      return timeline.some((one) => one['type'] === 'pull_push' && textIn(one, 'body').includes(sha));
    });
  }

  it('looks first at everything open that may be a trigger, and at nothing else', async () => {
    const { alice, repo } = await begin();
    const number = await trigger(alice);
    await alice.createIssue({ title: 'nothing for agents' });
    await alice.closeIssue(await trigger(alice));
    assert.deepEqual(await world.news(), [`${repo}#${String(number)} state`]);
    const [found] = world.accepted;
    assert.deepEqual([found?.owner, found?.isPull, found?.headRef], ['alice', false, null]);
  });

  it('finds a trigger that came after the first look, through any kind of pattern', async () => {
    for (const pattern of ['*', 'alice/*', 'Alice/*']) {
      const { alice, repo } = await begin({ repos: [pattern] });
      await world.pass();
      const number = await alice.createIssue({ title: 'later' });
      assert.deepEqual(await world.news(), [], 'no trigger yet');
      await alice.addLabel(number, LABEL);
      await alice.assign(number, BOT);
      assert.deepEqual(await world.news(), [`${repo}#${String(number)} state`], pattern);
      if (pattern !== 'Alice/*') await world.stop();
    }
  });

  it('finds what people do to a run, each act once', async () => {
    const { alice, repo, repoId } = await begin();
    const issue = await trigger(alice);
    const pr = await openPr(alice, 'work');
    await world.addRun({ repo, issueNumber: issue, prNumber: pr, repoId, branch: 'work' });
    await world.pass();
    await nextSecond();
    const comment = await alice.comment(issue, 'and be quick');
    const onPr = await bob.on(alice.repo).comment(pr, 'look here');
    const review = await bob.on(alice.repo).review(pr, { verdict: 'request_changes', body: 'no' });
    const sha = await alice.createFile({ branch: 'work', path: 'more.txt', content: 'b' });
    await pushIsNoted(alice, pr, sha);
    assert.deepEqual(
      await world.news(),
      [
        `${repo}#${String(issue)} comment ${String(comment)}`,
        `${repo}#${String(issue)} state`,
        `${repo}#${String(pr)} comment ${String(onPr)}`,
        `${repo}#${String(pr)} push ${sha}`,
        `${repo}#${String(pr)} review ${String(review)}`,
        `${repo}#${String(pr)} state`,
      ].sort(),
    );
    assert.deepEqual(await world.news(), []);
    await nextSecond();
    const branches = world.accepted.filter(({ number }) => number === pr).map(({ headRef }) => headRef);
    assert.deepEqual(new Set(branches), new Set(['work']), 'ordered with its issue');
    await alice.closePr(pr);
    assert.deepEqual(await world.news(), [`${repo}#${String(pr)} state`]);
  });

  it('knows a run’s pull request by its branch in the bot’s fork, and not by a stranger’s branch of that name', async () => {
    const { alice, repo, repoId } = await begin();
    const issue = await trigger(alice);
    const branch = `bot-bottle/${String(issue)}-abc12`;
    await world.addRun({ repo, issueNumber: issue, prNumber: null, repoId, branch });
    const bot = new Person(gitea.url, BOT, gitea.bot.password, gitea.bot.publisherToken, alice.repo);
    const pulls: number[] = [];
    for (const owner of [gitea.mallory, bot]) {
      await owner.api.call('POST', `/repos/${alice.repo}/forks`, {});
      const file = { branch, from: 'main', path: 'x.txt', content: 'a' };
      await owner.on(`${owner.login}/${repo}`).createFile(file);
      pulls.push(await owner.on(alice.repo).openPr({ title: 'Work', head: `${owner.login}:${branch}` }));
    }
    await world.pass();
    const found = world.accepted.filter(({ isPull }) => isPull);
    assert.deepEqual(new Set(found.map(({ number }) => number)), new Set([pulls[1]]));
    assert.deepEqual(new Set(found.map(({ headRef }) => headRef)), new Set([branch]));
  });

  it('finds an edited comment, though its issue looks untouched', async () => {
    const { alice, repo, repoId } = await begin();
    const issue = await trigger(alice);
    await world.addRun({ repo, issueNumber: issue, repoId });
    const comment = await alice.comment(issue, 'do A');
    await world.pass();
    await alice.editComment(comment, 'do B');
    assert.deepEqual(await world.news(), [`${repo}#${String(issue)} comment ${String(comment)}`]);
    assert.deepEqual(await world.news(), []);
  });

  it('brings a run that it did not know what was written since the trigger', async () => {
    const { alice, repo, repoId } = await begin();
    const neighbour = await trigger(alice);
    await world.addRun({ repo, issueNumber: neighbour, repoId });
    const issue = await trigger(alice);
    const comment = await alice.comment(issue, 'one more thing');
    assert.ok(!(await world.news()).some((one) => one.includes('comment')));
    // Its row is there only now.
    await world.addRun({ repo, issueNumber: issue, repoId });
    assert.deepEqual(await world.news(), [`${repo}#${String(issue)} comment ${String(comment)}`]);
  });

  it('knows a pull request by the branch of the run while no row has its number, and by its number then', async () => {
    const { alice, repo, repoId } = await begin();
    const issue = await trigger(alice);
    const branch = `bot-bottle/${String(issue)}-abc12`;
    const row: ForgeStateRow = await world.addRun({ repo, issueNumber: issue, repoId, branch });
    await world.pass();
    await alice.createFile({ branch, from: 'main', path: 'x.txt', content: 'a' });
    const pr = await alice.openPr({ title: 'work', head: branch });
    const stranger = await openPr(alice, 'stranger');
    const comment = await alice.comment(pr, 'already?');
    const news = await world.news();
    assert.ok(news.includes(`${repo}#${String(pr)} state`), news.join());
    assert.ok(!news.some((one) => one.startsWith(`${repo}#${String(stranger)}`)), news.join());
    await world.database.forgeState.upsert({ ...row, prNumber: pr });
    assert.deepEqual(await world.news(), [`${repo}#${String(pr)} comment ${String(comment)}`]);
  });

  it('does not take pushes and reviews of before the trigger for news', async () => {
    const { alice, repo, repoId } = await begin();
    const pr = await openPr(alice, 'mine');
    await alice.createFile({ branch: 'mine', path: 'early.txt', content: 'b' });
    await bob.on(alice.repo).review(pr, { verdict: 'comment', body: 'early' });
    const row = { repo, issueNumber: pr, prNumber: pr, repoId, branch: 'mine' };
    await world.addRun(row, Date.now() + 5_000);
    assert.deepEqual(await world.news(), [`${repo}#${String(pr)} state`]);
    const sha = await alice.createFile({ branch: 'mine', path: 'late.txt', content: 'c' });
    const news = await world.news();
    assert.ok(news.includes(`${repo}#${String(pr)} push ${sha}`), news.join());
  });

  it('finds an answer in a thread on a line, which is in no list of comments', async () => {
    const { alice, repo, repoId } = await begin();
    const issue = await trigger(alice);
    const pr = await openPr(alice, 'talk');
    await world.addRun({ repo, issueNumber: issue, prNumber: pr, repoId, branch: 'talk' });
    const comments = [{ path: 'talk.txt', line: 1, body: 'Why?' }];
    const review = await bob.on(alice.repo).review(pr, { verdict: 'comment', body: 'Hm.', comments });
    const first = await world.news();
    assert.ok(first.includes(`${repo}#${String(pr)} review ${String(review)}`), first.join());
    assert.ok(!first.some((one) => one.includes('comment')), 'its remarks come with the review');
    const path = `/repos/${alice.repo}/pulls/${String(pr)}/reviews/${String(review)}/comments`;
    const [remark] = await alice.api.list(path);
    await nextSecond();
    const pages = await PageSession.signIn(gitea.url, 'bob', bob.password);
    await pages.post(`/${alice.repo}/pulls/${String(pr)}/files/reviews/comments`, {
      ...{ origin: 'timeline', content: 'Because.', side: 'proposed', line: '1', path: 'talk.txt' },
      ...{ single_review: 'true', reply: String(review), latest_commit_id: String(remark?.['commit_id']) },
    });
    const [, answer] = (await alice.api.list(path)).map((one) => numberIn(one, 'id')).sort((a, b) => a - b);
    const news = await world.news();
    assert.ok(news.includes(`${repo}#${String(pr)} comment ${String(answer)}`), news.join());
    assert.deepEqual(await world.news(), []);
  });

  it('finds the reopening of the pull request of a run that has ended', async () => {
    const { alice, repo, repoId } = await begin();
    const issue = await alice.createIssue({ title: 'done with' });
    const pr = await openPr(alice, 'old');
    await alice.closePr(pr);
    await world.addRun({
      repo,
      issueNumber: issue,
      prNumber: pr,
      repoId,
      branch: 'old',
      status: 'destroyed',
    });
    await world.pass();
    await alice.reopen(pr);
    assert.deepEqual(await world.news(), [`${repo}#${String(pr)} state`]);
  });

  it('asks for pages until a list is through', async () => {
    const { alice, repo } = await begin({ requests: 20 });
    const numbers: number[] = [];
    for (let index = 0; index < 60; index += 1) {
      const labels = index % 20 === 0 ? [LABEL] : [];
      numbers.push(await alice.createIssue({ title: `n${String(index)}`, labels }));
    }
    const wanted = numbers.filter((_number, index) => index % 20 === 0);
    assert.deepEqual(await world.news(), wanted.map((number) => `${repo}#${String(number)} state`).sort());
  });

  it('finds again what it had posted when it crashed before it noted that, to no effect', async () => {
    const { alice, repo } = await begin();
    await world.pass();
    const issue = await trigger(alice);
    const whole = world.store;
    const full: ReconcileStore = {
      load: () => whole.load(),
      save: () => Promise.reject(new Error('no room')),
    };
    world.store = full;
    await assert.rejects(world.pass(), /no room/);
    world.store = whole;
    const again = await world.pass();
    assert.deepEqual([again.findings, again.known], [0, 1]);
    const third = await world.pass();
    assert.deepEqual([third.findings, third.known], [0, 0]);
    assert.equal(world.webhook.accepted(), 1);
    assert.deepEqual(world.webhook.inbox.waiting(`gitea:alice/${repo}#${String(issue)}`, 9).length, 1);
  });
});
