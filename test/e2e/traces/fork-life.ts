import assert from 'node:assert/strict';
import { withToken } from '../../support/gitea/api.js';
import { BOT, REPO } from '../../support/gitea/start-gitea.js';
import { StackFiles } from '../../support/stack/stack-files.js';
import { tracedStack } from './stack.js';

const FORK = `${BOT}/alice-demo`;

describe('the life of an issue that is published from the bot’s fork', function () {
  this.timeout(240_000);
  const { stack, open } = tracedStack();

  it('goes from trigger to a pull request from the fork, wakes for a review and a push, and ends with the merge', async () => {
    const { alice, bot } = stack().gitea;
    const earlier = (await new StackFiles(stack().home).stateRows()).length;
    const life = await open('Write notes', 'Please write notes.');
    const first = await life.frozen(1, 'done');
    const [pr] = first.prs;
    assert.ok(pr !== undefined);
    const pull = (): Promise<Record<string, unknown>> =>
      alice.api.object('GET', `/repos/${REPO}/pulls/${String(pr)}`);
    const head = async () =>
      (await pull())['head'] as { sha: string; ref: string; repo: { full_name: string } };
    const opened = await head();
    assert.equal(opened.repo.full_name, FORK);

    // What starts a run elsewhere starts none here, and neither refuses nor ends this one.
    await alice.assign(pr, bot.login);
    await alice.addLabel(pr, 'bot-bottle:demo');
    await alice.review(pr, { verdict: 'request_changes', body: 'Please add one more line.' });
    const second = await life.frozen(2, 'done');
    assert.equal(second.sessionId, first.sessionId);
    assert.deepEqual(second.prs, [pr]);
    const updated = await head();
    assert.notEqual(updated.sha, opened.sha);

    const pushed = await alice
      .on(FORK)
      .createFile({ branch: opened.ref, path: 'alice.txt', content: 'From alice.\n' });
    // The scripted agent does not merge it, is refused, and nudged once.
    const last = await life.frozen(4, 'done');
    const prompts = await life.files.prompts(last.slug);
    assert.match(prompts[2] ?? '', new RegExp(pushed.slice(0, 12)));
    assert.match(prompts[3] ?? '', /merge refs\/remotes\/pr\//);
    assert.equal((await head()).sha, pushed, 'the writer’s push was lost');

    await alice.mergePr(pr);
    await life.ended();
    assert.equal((await life.files.stateRows()).length, earlier + 1, 'a second run was started');
    // Closed by the merge, and never pushed to otherwise.
    const branches = await alice.api.list(`/repos/${REPO}/branches`);
    assert.deepEqual(
      branches.map(({ name }) => name),
      ['main'],
    );
    assert.equal(await reactionsOn(pr), 0);
  });

  const reactionsOn = async (number: number): Promise<number> => {
    const api = withToken(stack().gitea.url, stack().gitea.alice.token);
    const found = await api.call('GET', `/repos/${REPO}/issues/${String(number)}/reactions`);
    return Array.isArray(found) ? found.length : 0;
  };
});
