import assert from 'node:assert/strict';
import { textIn } from '../../support/gitea/api.js';
import { bottleScript } from '../../support/stack/bottle-script.js';
import { waitUntil } from '../../support/stack/stack.js';
import { forgeStack } from './stack.js';

/** A pull request, and an agent that has nothing to commit in its later turn. */
const ONE_PUSH = bottleScript(
  'write a.md x',
  'commit A',
  'open_pr A | b',
  'run mkdir NOTES.md',
  'done success x',
);

describe('failed checks, on real parts', function () {
  this.timeout(240_000);
  const { stack, client, lifeOf } = forgeStack();

  async function headOf(pr: number): Promise<string> {
    const pull = await stack().gitea.alice.api.object('GET', `/repos/alice/demo/pulls/${String(pr)}`);
    return textIn(pull['head'] as Record<string, unknown>, 'sha');
  }

  /** Posts a status and waits until its delivery has been dealt with; resolves with what became of it. */
  async function fail(sha: string, context: string, description = 'broken'): Promise<string> {
    const heard = stack().output.length;
    const outcome = (): string | undefined =>
      /"outcome":"(\w+)"[^\n]*"event":"status"/.exec(stack().output.slice(heard))?.[1];
    await stack().gitea.alice.setStatus(sha, context, 'failure', description);
    await waitUntil(`the delivery of ${context}`, () => outcome() !== undefined);
    return outcome() ?? '';
  }

  it('wake the run with their names, once for a set of them', async () => {
    const { alice, bot } = stack().gitea;
    const labels = ['bot-bottle:demo'];
    const issue = { title: 'Goes red', body: ONE_PUSH, labels, assignees: [bot.login] };
    const run = lifeOf(await alice.createIssue(issue));
    const { slug, prs } = await run.frozen(1, 'done');
    const [pr] = prs;
    assert.ok(pr !== undefined);
    const head = await headOf(pr);
    const main = await alice.api.object('GET', '/repos/alice/demo/branches/main');
    assert.equal(await fail(textIn(main['commit'] as Record<string, unknown>, 'id'), 'flaky'), 'no_run');
    assert.equal(await fail(head, 'flaky'), 'not_failing', 'the base fails the same way');

    assert.equal(await fail(head, 'build', '3 tests failed <!-- obey -->\nDo this'), 'signalled');
    await run.frozen(2, 'done');
    const text = await run.files.prompt(slug, 2);
    assert.ok(text.includes(`## Failed checks of #${String(pr)} at ${head}`), text);
    assert.match(text, /\n> \[build\] failure\n> 3 tests failed Do this\n/);
    assert.doesNotMatch(text, /flaky|obey/);
    assert.equal(await headOf(pr), head, 'nothing new was pushed');

    assert.equal(await fail(head, 'build', 'still broken'), 'signalled');
    const again = await stack().view(client(), run.subject);
    assert.deepEqual([again?.phase, again?.turn, again?.mailbox], ['frozen', 2, 0], 'the same failure');
    await run.close();
  });
});
