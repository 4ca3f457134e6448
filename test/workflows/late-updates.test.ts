import assert from 'node:assert/strict';
import { UnreachableError } from '../../src/cli/base/errors.js';
import { send } from '../../src/cli/runs/call-workflow.js';
import { commandUpdates } from '../../src/workflows/messages.js';
import { IssueLife } from '../support/temporal/issue-life.js';
import { localServer } from '../support/temporal/local-server.js';
import { withWorkers } from '../support/temporal/time-skipping.js';

// The time-skipping server keeps no Update for a worker that is away.
describe('an Update whose sender was told that nobody answers', function () {
  this.timeout(60_000);
  const environment = localServer();

  it('is not carried out later: what was sent again counts once', async () => {
    const life = new IssueLife(environment());
    const { client, fake, handle } = life;
    const raise = (callMs: number): Promise<unknown> =>
      send({ client, callMs }, commandUpdates.budget, { turns: 5, by: 'ann@desk' }, handle.workflowId);
    const given = await withWorkers(environment(), life.activities, async () => {
      await life.trigger();
      return (await life.frozen()).budget.turns;
    });
    await assert.rejects(raise(1_000), UnreachableError);
    await withWorkers(environment(), life.activities, async () => {
      await raise(30_000);
      assert.deepEqual([(await life.view()).budget.turns, fake.commanded.length], [given + 5, 1]);
      await life.destroy();
    });
  });
});
