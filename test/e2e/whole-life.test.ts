import assert from 'node:assert/strict';
import type { Client } from '@temporalio/client';
import { workflowIdOf } from '../../src/domain/issue.js';
import { Stack } from '../support/stack/stack.js';

/** The budget of history: what makes continue-as-new rare and a long-lived run cheap. */
const MAX_EVENTS_PER_TURN = 40;

describe('the whole life of an issue, on real parts', function () {
  this.timeout(180_000);
  let stack: Stack;
  let client: Client;

  before(async () => {
    stack = await Stack.prepare({
      onOutput: (text) => process.env['BOT_BOTTLE_TEST_LOG'] !== undefined && process.stderr.write(text),
    });
    await stack.start();
    client = await stack.client();
  });
  after(async () => {
    await client.connection.close();
    await stack.remove();
  });

  it('goes from trigger to pull request, wakes in the same session for a comment, and is destroyed by the merge', async () => {
    const { alice, bot } = stack.gitea;
    const issue = await alice.createIssue({
      title: 'Write notes',
      body: 'Please write notes.',
      labels: ['bot-bottle:implementer'],
      assignees: [bot.login],
    });
    const subject = { forge: 'gitea', owner: 'alice', repo: 'demo', number: issue } as const;
    const first = await stack.until(client, subject, 'the first freeze', (view) => view.phase === 'frozen');
    assert.equal(first.reason, 'done', JSON.stringify(first));
    const [pr] = first.prs;
    assert.ok(pr !== undefined);
    await alice.comment(pr, 'Please add one more line.');
    const second = await stack.until(
      client,
      subject,
      'the second freeze',
      (view) => view.phase === 'frozen' && view.turn === 2,
    );
    assert.equal(second.sessionId, first.sessionId);
    const { events } = await client.workflow.getHandle(workflowIdOf(subject)).fetchHistory();
    const spent = events?.length ?? Infinity;
    assert.ok(spent <= 2 * MAX_EVENTS_PER_TURN, `${String(spent)} events in two turns`);
    await alice.mergePr(pr);
    await client.workflow.getHandle(workflowIdOf(subject)).result();
  });
});
