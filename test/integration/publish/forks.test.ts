import assert from 'node:assert/strict';
import { destroyRun } from '../../../src/activities/destroy-run.js';
import { InvalidInputError } from '../../../src/domain/base/errors.js';
import { sharedGitea } from '../../support/gitea/shared-gitea.js';
import { withPassword } from '../../support/gitea/api.js';
import type { Gitea } from '../../support/gitea/start-gitea.js';
import { GateWorld, refusalOf, type GateWorldOptions } from '../../support/publish/gate-world.js';

const commit = (file: string, text = file): string =>
  `printf '%s\\n' '${text}' >${file}; git add ${file}; git commit -qm 'Add ${file}'`;

describe('publishing from the bot’s fork, against a real forge and a real engine', function () {
  this.timeout(180_000);
  let gitea: Gitea;
  const worlds: GateWorld[] = [];
  before(async () => {
    gitea = await sharedGitea();
  });
  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.remove();
  });
  const begin = async (options: GateWorldOptions = {}): Promise<GateWorld> => {
    const world = await GateWorld.create(gitea, { fork: true, ...options });
    worlds.push(world);
    return world;
  };
  const forkOf = ({ subject }: GateWorld): string => `${gitea.bot.login}/${subject.owner}-${subject.repo}`;

  it('leaves the repository’s branches alone, and opens the pull request from the fork’s', async () => {
    const world = await begin();
    await world.agent(commit('a.txt'));
    const first = await world.openPr('From the fork');
    assert.ok(first.kind === 'published' && first.created, JSON.stringify(first));
    assert.equal(await world.tip(), undefined, 'pushed to the repository itself');
    assert.equal(await world.tip(world.branch, forkOf(world)), first.head);
    const [pull, second] = await world.pulls();
    assert.ok(pull !== undefined && second === undefined);
    const head = pull['head'] as { label: string; repo: { full_name: string } };
    assert.equal(head.repo.full_name, forkOf(world));
    assert.equal(pull['allow_maintainer_edit'], true);

    await world.more(commit('b.txt'));
    const again = await world.settle('success');
    assert.ok(again.publish.kind === 'published' && !again.publish.created && again.publish.pr === first.pr);
    assert.equal(await world.tip(world.branch, forkOf(world)), again.head);
    const read = await world.forge.readPr(first.pr);
    assert.equal(read.head.sha, again.head);
  });

  it('takes what a writer pushed to the fork’s branch into the next turn, and loses none of it', async () => {
    const world = await begin();
    await world.agent(commit('a.txt'));
    const opened = await world.openPr('Together');
    assert.ok(opened.kind === 'published');
    await world.settle();
    const clone = world.clone(world.branch, forkOf(world));
    world.git(clone, 'commit', '-q', '--allow-empty', '-m', 'From a person');
    world.git(clone, 'push', '-q', 'origin', world.branch);
    const pushed = world.git(clone, 'rev-parse', 'HEAD');

    await world.agent(commit('blind.txt'));
    assert.equal(world.refs?.branchSha, pushed);
    assert.deepEqual(
      world.refs.moved.map(({ which, sha, rewritten }) => ({ which, sha, rewritten })),
      [{ which: 'own', sha: pushed, rewritten: false }],
    );
    assert.match(refusalOf(await world.openPr('Together')), /merge refs\/remotes\/pr\//);
    await world.more(`git merge -q --no-edit refs/remotes/pr/${world.branch}`);
    const { publish, head } = await world.settle();
    assert.equal(publish.kind, 'published', JSON.stringify(publish));
    assert.equal(await world.tip(world.branch, forkOf(world)), head);
  });

  it('serves two runs of a repository at once from one fork', async () => {
    const one = await begin();
    const other = await begin({ beside: one });
    await Promise.all([one.agent(commit('one.txt')), other.agent(commit('other.txt'))]);
    const [first, second] = await Promise.all([one.settle(), other.settle()]);
    assert.ok(first.publish.kind === 'published' && second.publish.kind === 'published');
    assert.notEqual(first.publish.pr, second.publish.pr);
    assert.equal(
      (await one.alice.api.list(`/repos/${one.subject.owner}/${one.subject.repo}/forks`)).length,
      1,
    );
    assert.equal(await one.tip(other.branch, forkOf(one)), second.head);
  });

  it('ends a run with what the fork does not have, and with the fork’s branch as it is', async () => {
    const world = await begin();
    await world.agent(commit('published.txt'));
    const { head } = await world.settle();
    await world.agent(commit('kept.txt'));
    await destroyRun(world.ports, { slug: world.slug, subject: world.subject, branch: world.branch });
    assert.equal(await world.tip(world.branch, forkOf(world)), head);
    assert.match(await world.file('unpublished.bundle'), new RegExp(`^-${head ?? 'none'}`, 'm'));
  });

  it('fails before the agent works where the fork’s name is taken', async () => {
    const world = await begin();
    const bot = withPassword(gitea.url, gitea.bot.login, gitea.bot.password);
    await bot.call('POST', '/user/repos', { name: forkOf(world).split('/')[1] });
    await assert.rejects(
      world.agent('touch /workspace/ran'),
      (error) =>
        error instanceof InvalidInputError && /is no fork of .*FORGE_PUBLISH=fork/.test(error.message),
    );
  });
});
