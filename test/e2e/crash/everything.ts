import assert from 'node:assert/strict';
import { bottleScript, WAIT_FOR_TEST } from '../../support/stack/bottle-script.js';
import { deliverComment } from '../../support/stack/deliver.js';
import { waitUntil } from '../../support/stack/stack.js';
import { allGone, partOf } from '../../support/stack/processes.js';
import { messagesStack } from './stack.js';

const REMARKS = ['remark-one', 'remark-two', 'remark-three'];

describe('everything is killed at once', function () {
  this.timeout(240_000);
  const { stack, trigger } = messagesStack();

  it('brings every comment that was answered with 202 into a prompt exactly once', async () => {
    const life = await trigger('all parts die', WAIT_FOR_TEST);
    const { slug } = await life.waiting();
    // Written while nobody listens: these deliveries of the forge are lost, so that ours are the first ones.
    await stack().stopUp('SIGKILL');
    await allGone(stack().home);
    const ids: number[] = [];
    for (const remark of REMARKS)
      ids.push(await life.comment(`${remark}\n\n${bottleScript('done success heard')}`));
    await stack().start();
    const parts = await Promise.all([partOf(stack(), 'webhook'), partOf(stack(), 'temporal')]);

    const statuses = await Promise.all(ids.map((id) => deliverComment(stack(), life.issue, id)));
    for (const pid of parts) process.kill(pid, 'SIGKILL');
    await Promise.all([
      stack().stopUp('SIGKILL'),
      life.killContainer(slug, 'bundle'),
      life.killContainer(slug, 'agent'),
    ]);
    assert.deepEqual(statuses, [202, 202, 202]);

    await allGone(stack().home);
    await stack().start();
    const heard = async (): Promise<string[]> => {
      const text = (await life.files.prompts(slug)).join('\n');
      return text.match(/remark-\w+/g) ?? [];
    };
    await waitUntil('all remarks in prompts', async () => (await heard()).length >= REMARKS.length, 90_000);
    const view = await life.until(
      'the last freeze',
      ({ phase, mailbox, turn }) => phase === 'frozen' && mailbox === 0 && turn > 1,
    );
    assert.equal(view.reason, 'done');
    assert.deepEqual((await heard()).sort(), [...REMARKS].sort());
    const ended = await life.files.endedTurns(slug);
    const [first] = ended;
    assert.deepEqual([first?.detail['exitCode'], first?.detail['reason']], [137, 'incomplete']);
    for (const { turn } of ended) assert.equal(await life.files.invocations(slug, turn), 1);
  });
});
