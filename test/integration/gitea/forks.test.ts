import assert from 'node:assert/strict';
import { connectForge, connectForks } from '../../../src/wiring/connect-forge.js';
import { InvalidInputError } from '../../../src/domain/base/errors.js';
import type { Forks } from '../../../src/domain/forge/forks.js';
import type { RepoRef } from '../../../src/domain/forge/issue.js';
import { textIn } from '../../support/gitea/api.js';
import { Person } from '../../support/gitea/person.js';
import { BOT, startGitea, type Gitea } from '../../support/gitea/start-gitea.js';

describe('the bot’s forks, on a Gitea with Actions', function () {
  this.timeout(60_000);
  let gitea: Gitea;
  let forks: Forks;
  let bot: Person;
  let count = 0;
  before(async () => {
    gitea = await startGitea({ ini: { actions: true } });
    forks = connect(gitea.bot.publisherToken);
    const { url, alice } = gitea;
    const all = await gitea.addToken(BOT, gitea.bot.password, ['all']);
    bot = new Person(url, BOT, gitea.bot.password, all, alice.repo);
  });
  after(async () => {
    await gitea.stop();
  });
  const connect = (token: string): Forks =>
    connectForks({ baseUrl: `${gitea.url}/api/v1`, token, caFile: null });
  const repository = async (owner = gitea.alice): Promise<RepoRef> => {
    count += 1;
    const name = `forked-${String(count)}`;
    await gitea.addRepository(owner, name);
    return { forge: 'gitea', owner: owner.login, repo: name };
  };
  const read = ({ owner, repo }: RepoRef) => bot.api.object('GET', `/repos/${owner}/${repo}`);
  const refused = (pattern: RegExp) => (error: unknown) =>
    error instanceof InvalidInputError &&
    pattern.test(error.message) &&
    error.message.includes('FORGE_PUBLISH');

  it('are made, whole, once, and without CI', async () => {
    const repo = await repository();
    assert.equal((await read(repo))['has_actions'], true, 'else the next lines show nothing');
    assert.deepEqual(await forks.look(repo), { kind: 'none' });
    const fork = await forks.ensure(repo);
    assert.deepEqual(fork, { forge: 'gitea', owner: BOT, repo: `alice-${repo.repo}` });
    const made = await read(fork);
    assert.equal(made['fork'], true);
    assert.equal(made['has_actions'], false);
    assert.equal(made['private'], false);
    assert.deepEqual(await forks.ensure(repo), fork);
    assert.deepEqual(await forks.look(repo), { kind: 'there', fork });
    const branches = await bot.api.list(`/repos/${fork.owner}/${fork.repo}/branches`);
    assert.deepEqual(
      branches.map((branch) => textIn(branch, 'name')),
      ['main'],
    );
  });

  it('are one for all who ask at once, here and elsewhere', async () => {
    const repo = await repository();
    const [other, third] = [connect(gitea.bot.publisherToken), connect(gitea.bot.publisherToken)];
    const [mine, again] = [forks.ensure(repo), forks.ensure(repo)];
    assert.equal(mine, again, 'the second would find a fork that is not whole yet');
    const all = await Promise.all([mine, other.ensure(repo), third.ensure(repo)]);
    assert.equal(new Set(all.map((one) => one.repo)).size, 1);
    assert.equal((await gitea.alice.api.list(`/repos/alice/${repo.repo}/forks`)).length, 1);
  });

  it('are adopted whatever their name is, and their CI is turned off', async () => {
    const repo = await repository();
    await bot.api.call('POST', `/repos/alice/${repo.repo}/forks`, { name: 'by-hand' });
    const fork = { forge: 'gitea', owner: BOT, repo: 'by-hand' } as const;
    await bot.api.call('PATCH', `/repos/${BOT}/by-hand`, { has_actions: true });
    assert.equal((await read(fork))['has_actions'], true);
    assert.deepEqual(await forks.ensure(repo), fork);
    assert.equal((await read(fork))['has_actions'], false);
  });

  it('stay the repository’s when that is renamed', async () => {
    const repo = await repository();
    const fork = await forks.ensure(repo);
    const renamed = `${repo.repo}-now`;
    await gitea.alice.api.call('PATCH', `/repos/alice/${repo.repo}`, { name: renamed });
    assert.deepEqual(await forks.ensure({ ...repo, repo: renamed }), fork);
  });

  it('are told apart where two owners have repositories of one name', async () => {
    const one = await repository();
    await gitea.addRepository(gitea.mallory, one.repo);
    const [first, second] = [await forks.ensure(one), await forks.ensure({ ...one, owner: 'mallory' })];
    assert.notEqual(first.repo, second.repo);
  });

  it('of a private repository are private', async () => {
    const repo = await repository();
    await gitea.alice.api.call('PATCH', `/repos/alice/${repo.repo}`, { private: true });
    assert.equal((await read(await forks.ensure(repo)))['private'], true);
  });

  it('are not made under a name that another repository has', async () => {
    const repo = await repository();
    await bot.api.call('POST', '/user/repos', { name: `alice-${repo.repo}` });
    const why = /no fork of alice\/forked-\d+.*rename or delete it/;
    await assert.rejects(forks.ensure(repo), refused(why));
    const state = await forks.look(repo);
    assert.ok(state.kind === 'impossible' && why.test(state.reason));
  });

  it('are not made of the bot’s own repository', async () => {
    await bot.api.call('POST', '/user/repos', { name: 'own', auto_init: true });
    const own = { forge: 'gitea', owner: BOT, repo: 'own' } as const;
    await assert.rejects(forks.ensure(own), refused(/belongs to the bot itself/));
  });

  it('have pull requests that are found as ours, and opened once, while a stranger’s are not', async () => {
    const repo = await repository();
    const forge = connectForge({
      baseUrl: `${gitea.url}/api/v1`,
      token: gitea.bot.publisherToken,
      caFile: null,
    })(repo);
    const fork = await forks.ensure(repo);
    const issue = await gitea.alice.on(`alice/${repo.repo}`).createIssue({ title: 'wanted' });
    const branch = `bot-bottle/${String(issue)}-abc12`;
    const file = { branch, path: 'x.txt', content: 'x\n', from: 'main' };
    const mallory = gitea.mallory.on(`mallory/${repo.repo}`);
    await mallory.api.call('POST', `/repos/alice/${repo.repo}/forks`, {});
    await mallory.createFile(file);
    await mallory.on(`alice/${repo.repo}`).openPr({ title: 'First!', head: `mallory:${branch}` });
    assert.equal(await forge.findOpenPrByHead(branch), undefined);

    await bot.on(`${fork.owner}/${fork.repo}`).createFile(file);
    const input = { title: 'Ours', body: '', head: branch, headOwner: fork.owner, base: 'main' };
    const [one, other] = await Promise.all([forge.openPr(input), forge.openPr(input)]);
    assert.equal(one.number, other.number);
    assert.equal(one.head.forkOwner?.login, BOT);
    assert.equal((await forge.findOpenPrByHead(branch))?.number, one.number);
    // Whoever may write to the repository may push to the fork's branch.
    await gitea.alice
      .on(`${fork.owner}/${fork.repo}`)
      .createFile({ branch, path: 'alice.txt', content: 'x\n' });
  });

  it('need a token that may write', async () => {
    const repo = await repository();
    await assert.rejects(
      connect(gitea.bot.sidecarToken).ensure(repo),
      refused(/cannot be forked.*Let the bot’s account/),
    );
  });
});
