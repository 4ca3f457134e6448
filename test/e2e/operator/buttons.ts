import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { workflowIdOf } from '../../../src/domain/forge/issue.js';
import { bottleScript } from '../../support/stack/bottle-script.js';
import type { Life } from '../../support/stack/life.js';
import { waitUntil } from '../../support/stack/stack.js';
import { operatorStack } from './stack.js';

describe('Temporal’s buttons on a run with a real bottle', function () {
  this.timeout(240_000);
  const { client, trigger } = operatorStack();

  let life: Life;

  it('Reset to its first task runs no second agent, opens no second pull request, and the run goes on', async () => {
    life = await trigger('reset', 'write r.txt r', 'commit Work', 'done success x');
    const before = await life.frozen(1, 'done');
    const { startedAt } = await life.container(before.slug, 'agent');
    const handle = client().workflow.getHandle(workflowIdOf(life.subject));
    const { runId } = await handle.describe();
    const { events } = await handle.fetchHistory();
    const first = (events ?? []).find(({ workflowTaskCompletedEventAttributes: at }) => at?.scheduledEventId);
    await client().workflowService.resetWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: handle.workflowId, runId },
      reason: 'a test',
      workflowTaskFinishEventId: first?.eventId ?? null,
      requestId: randomUUID(),
    });
    await waitUntil('the reset run', async () => (await handle.describe()).runId !== runId);
    const after = await life.frozen(1, 'done');
    assert.deepEqual([after.slug, after.prs], [before.slug, before.prs]);
    assert.equal((await life.container(before.slug, 'agent')).startedAt, startedAt);
    await life.comment(bottleScript('write s.txt s', 'commit More', 'done success y'));
    await life.frozen(2, 'done');
  });

  it('Request cancellation ends the run, and nothing of it is left', async () => {
    const { slug } = await life.frozen(2, 'done');
    await client().workflow.getHandle(workflowIdOf(life.subject)).cancel();
    await life.ended();
    await assert.rejects(life.container(slug, 'agent'), /has no agent container/);
    const row = (await life.files.stateRows()).find((one) => one.slug === slug);
    assert.equal(row?.status, 'destroyed');
  });
});
