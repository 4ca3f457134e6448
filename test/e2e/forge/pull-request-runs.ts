import assert from 'node:assert/strict';
import { bottleScript } from '../../support/stack/bottle-script.js';
import type { Person } from '../../support/gitea/person.js';
import type { Life } from '../../support/stack/life.js';
import { waitUntil } from '../../support/stack/stack.js';
import { forgeStack, hookedRepository } from './stack.js';

/** Runs that begin with a pull request: the trigger on somebody's pull request. */
describe('a run whose subject is a pull request', function () {
  this.timeout(180_000);
  const { stack, lifeOf } = forgeStack();
  let alice: Person;

  // Of its own: its pull requests are counted, and one is merged.
  before(async () => {
    const owner = stack().gitea.alice;
    alice = owner.on(await hookedRepository(stack(), owner, 'pulls'));
  });

  /** A pull request of alice's from a branch of her own, with the trigger. */
  async function pulled(branch: string, ...script: string[]): Promise<Life> {
    const { bot } = stack().gitea;
    await alice.createFile({ branch, from: 'main', path: `${branch}.md`, content: 'by alice\n' });
    const number = await alice.openPr({
      title: `Work of ${branch}`,
      head: branch,
      body: bottleScript(...script),
    });
    await alice.addLabel(number, 'bot-bottle:demo');
    await alice.assign(number, bot.login);
    return lifeOf(number, 'alice/pulls');
  }

  async function heads(number: number): Promise<string> {
    const pull = await alice.api.object('GET', `/repos/alice/pulls/pulls/${String(number)}`);
    return String((pull['head'] as Record<string, unknown>)['sha']);
  }

  it('works on its branch, is woken by the pushes of others and not by its own, writes there, and ends with the merge', async () => {
    const run = await pulled(
      'topic',
      'run test -e topic.md && echo found-it',
      'write agent.md by the agent',
      'commit By the agent',
      'comment 999 out of scope',
      'open_pr Never mind | b',
      'done success first',
    );
    const before = await heads(run.issue);
    const { slug, prs } = await run.frozen(1, 'done');
    assert.deepEqual(prs, [run.issue]);
    assert.match(await run.files.agentLog(slug, 1), /found-it/);
    assert.match(await run.files.prompt(slug, 1), /# Your task: pull request/);
    const published = await heads(run.issue);
    assert.notEqual(published, before, 'the agent’s commit is on the pull request’s own branch');
    assert.equal((await run.files.stateRow(run.subject))?.branch, 'topic');
    const pulls = await alice.api.list('/repos/alice/pulls/pulls?state=all&limit=50');
    assert.deepEqual(
      pulls.map(({ number }) => number),
      [run.issue],
      'no second pull request',
    );
    const refused = (await run.files.operations(slug)).filter(({ outcome }) => outcome === 'refused');
    assert.deepEqual(
      refused.map(({ operation }) => operation),
      ['post_comment'],
    );
    assert.equal((await run.files.turnRows(slug)).length, 2, 'its own push woke nothing');

    await alice.createFile({ branch: 'main', path: 'base.md', content: 'base' });
    const pushed = await alice.createFile({ branch: 'topic', path: 'person.md', content: 'person' });
    await waitUntil('the second turn', async () => (await run.files.prompt(slug, 2)) !== '');
    const second = await run.files.prompt(slug, 2);
    assert.match(second, new RegExp(`New commits on #${String(run.issue)} by alice[^\\n]*${pushed}`));
    assert.match(second, /The base branch `main` has moved/);
    assert.match(second, new RegExp(`Somebody added commits to your branch .*${pushed}`));
    // It did not merge what alice pushed, and was nudged for that: however many turns that takes.
    const { turn } = await run.until(
      'the freeze after it',
      (view) => view.phase === 'frozen' && view.turn >= 3,
    );

    const script = [
      'merge refs/remotes/pr/topic',
      `comment ${String(run.issue)} thanks`,
      'done success merged',
    ];
    await alice.review(run.issue, {
      verdict: 'comment',
      body: bottleScript(...script),
      comments: [{ path: 'topic.md', line: 1, body: 'is this right?' }],
    });
    await run.until('the turn of the review', (view) => view.phase === 'frozen' && view.turn > turn);
    assert.match(await run.files.prompt(slug, turn + 1), /> \[topic\.md:1\]\n> is this right\?/);
    const files = await alice.api.list('/repos/alice/pulls/contents?ref=topic');
    for (const name of ['topic.md', 'agent.md', 'person.md'])
      assert.ok(
        files.some((file) => file['name'] === name),
        name,
      );
    const said = await alice.comments(run.issue);
    assert.ok(said.some(({ login, body }) => login === stack().gitea.bot.login && body.startsWith('thanks')));

    await alice.mergePr(run.issue);
    await run.ended();
    await waitUntil('the row', async () => (await run.files.stateRow(run.subject))?.status === 'destroyed');
  });

  it('is refused, with the reason, for a pull request from a fork', async () => {
    const { bot } = stack().gitea;
    const dora = await stack().gitea.addPerson('dora');
    await dora.api.call('POST', '/repos/alice/pulls/forks', {});
    await waitUntil('the fork', () =>
      dora.api.object('GET', '/repos/dora/pulls').then(
        () => true,
        () => false,
      ),
    );
    await dora.on('dora/pulls').createFile({ branch: 'evil', from: 'main', path: 'evil.md', content: 'x' });
    const heard = stack().output.length;
    const number = await dora.on('alice/pulls').openPr({ title: 'From afar', head: 'dora:evil' });
    await alice.addLabel(number, 'bot-bottle:demo');
    await alice.assign(number, bot.login);
    await waitUntil('the refusal', () =>
      stack().output.slice(heard).includes('a pull request from a fork starts no agent'),
    );
    const list = await stack().cli(['orchestrate', 'status', '--rejected', '--json']);
    assert.match(list.stdout, /from a fork/);
    const run = lifeOf(number, 'alice/pulls');
    await run.reactedWith('confused');
    assert.deepEqual(await run.reactions(), ['confused']);
  });
});
