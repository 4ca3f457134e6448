import assert from 'node:assert/strict';
import { sharedGitea } from '../../support/gitea/shared-gitea.js';
import { BOT } from '../../support/gitea/start-gitea.js';
import type { Gitea } from '../../support/gitea/start-gitea.js';
import { ForgeProxy } from '../../support/reconcile/forge-proxy.js';
import { ReconcileWorld } from '../../support/reconcile/reconcile-world.js';
import type { WorldOptions } from '../../support/reconcile/reconcile-world.js';
import { shortly } from '../../support/reconcile/shortly.js';
import { useTempDir } from '../../support/webhook/temp-dir.js';

const BUDGET = 20;
const REPOSITORIES = 24;

describe('the budget of the reconciler, counted between it and a real Gitea', function () {
  this.timeout(90_000);
  const path = useTempDir();
  const repos: { readonly name: string; readonly id: number; readonly issue: number }[] = [];
  let gitea: Gitea;
  let proxy: ForgeProxy;
  let world: ReconcileWorld;
  let count = 0;

  before(async () => {
    gitea = await sharedGitea();
    for (let index = 0; index < REPOSITORIES; index += 1) {
      const name = await gitea.addRepository(gitea.alice, `budget-${String(index)}`);
      const { id } = await gitea.alice.api.object('GET', `/repos/${name}`);
      const issue = await gitea.alice
        .on(name)
        .createIssue({ title: 'x', labels: ['bot-bottle:coder'], assignees: [BOT] });
      repos.push({ name, id: Number(id), issue });
    }
  });
  beforeEach(async () => {
    proxy = await ForgeProxy.start(gitea.url);
  });
  afterEach(async () => {
    await world.stop();
    await proxy.stop();
  });

  async function begin(options: Partial<WorldOptions> = {}): Promise<void> {
    count += 1;
    world = await ReconcileWorld.start({
      directory: path(`home-${String(count)}`),
      forgeUrl: proxy.url,
      token: gitea.bot.sidecarToken,
      repos: repos.map(({ name }) => name),
      requests: BUDGET,
      ...options,
    });
  }

  /** Passes until a condition holds; none may cost more than the budget. Resolves with how many it took. */
  async function passesUntil(condition: () => boolean, most: number): Promise<number> {
    for (let passes = 1; passes <= most; passes += 1) {
      const before = proxy.seen.length;
      const { requests } = await world.pass();
      const onTheWire = proxy.seen.length - before;
      assert.equal(onTheWire, requests, 'what it says it asked for');
      assert.ok(onTheWire <= BUDGET, `${String(onTheWire)} requests in one pass`);
      if (condition()) return passes;
    }
    assert.fail(`not after ${String(most)} passes: ${world.accepted.map(shortly).join(', ')}`);
  }

  const found = (what: (index: number) => string) => (): boolean => {
    const all = new Set(world.accepted.map(shortly));
    return repos.every((_repo, index) => all.has(what(index)));
  };
  const bare = (index: number): string => repos[index]?.name.split('/')[1] ?? '';
  const state = (index: number): string => `${bare(index)}#${String(repos[index]?.issue)} state`;

  it('many repositories get their turn one after the other, and nothing is asked for beyond it', async () => {
    await begin();
    const passes = await passesUntil(found(state), 3);
    assert.ok(passes > 1, 'one pass cannot do it');
    const { end, cursor } = await world.pass();
    assert.ok(end === 'budget' || end === 'done');
    assert.ok(cursor !== null, 'every list is through');
  });

  it('with a run in every repository, comments, changes and deletions are all found in some passes', async () => {
    await begin();
    for (const [index, { id, issue }] of repos.entries())
      await world.addRun(
        { repo: bare(index), repoId: id, issueNumber: issue, slug: `coder-${bare(index)}` },
        Date.now() - 60_000,
      );
    await passesUntil(found(state), 12);
    const comments = await Promise.all(
      repos.map(({ name, issue }) => gitea.alice.on(name).comment(issue, 'hello')),
    );
    const passes = await passesUntil(
      found((index) => `${bare(index)}#${String(repos[index]?.issue)} comment ${String(comments[index])}`),
      12,
    );
    assert.ok(passes > 1, 'one pass cannot do it');
  });

  it('something that knows nothing, in place of the forge, ends no run', async () => {
    await begin();
    const [first] = repos;
    assert.ok(first !== undefined);
    await world.addRun({ repo: bare(0), repoId: first.id, issueNumber: first.issue });
    await passesUntil(found(state), 6);
    const before = world.accepted.length;
    for (const status of [404, 301]) {
      proxy.instead = () => ({ status, headers: { location: '/elsewhere' } });
      const passed: string[] = [];
      while (!passed.includes('forge')) {
        assert.ok(passed.length < 6, passed.join());
        passed.push((await world.pass()).end);
      }
    }
    assert.equal(world.accepted.length, before);
  });
});
