import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { openRuns } from '../../src/adapters/temporal/deployment.js';
import { temporalRunStates } from '../../src/adapters/temporal/run-states.js';
import { waitUntil } from '../support/stack/stack.js';
import { withLife } from '../support/temporal/issue-life.js';
import { localServer } from '../support/temporal/local-server.js';

describe('a run that `temporal workflow pause` has paused', function () {
  this.timeout(90_000);
  const environment = localServer('frontend.WorkflowPauseEnabled=true');

  it('is open: its version is kept at an upgrade, and the sweeper knows whose its things are', () =>
    withLife(environment(), {}, async (life) => {
      const { slug } = await life.frozen();
      const { client, handle } = life;
      const { workflowId } = handle;
      const { namespace } = client.options;
      const by = { namespace, workflowId, reason: 'a test', identity: 'test', requestId: randomUUID() };
      await client.workflowService.pauseWorkflowExecution(by);
      await waitUntil(
        'it to be listed as paused',
        async () =>
          (await client.workflow.count(`ExecutionStatus = 'Paused' AND WorkflowId = '${workflowId}'`))
            .count === 1,
      );
      assert.deepEqual(await openRuns(client), [workflowId]);
      assert.equal(await temporalRunStates(client).claimedBy(slug), workflowId);
      await handle.terminate();
    }));
});
