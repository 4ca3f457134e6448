import assert from 'node:assert/strict';
import type { Client } from '@temporalio/client';
import { ScheduleOverlapPolicy } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import type { RowReviewActivities, SweepActivities } from '../../src/activities/ports/interface.js';
import { forgetPasses } from '../../src/adapters/temporal/forget-passes.js';
import { setSweepSchedule, sweepScheduleOf } from '../../src/adapters/temporal/pass-schedule.js';
import { subjectOfWorkflow } from '../../src/domain/forge/issue.js';
import type { SweepReport } from '../../src/domain/upkeep/sweep.js';
import { bottlesQueue, SWEEP_WORKFLOW, TASK_QUEUE } from '../../src/workflows/messages.js';
import { waitUntil } from '../support/stack/stack.js';
import { localServer } from '../support/temporal/local-server.js';
import { workflowBundle } from '../support/temporal/time-skipping.js';

const HOST = 'sweephost001';
const EXPECTED = [
  {
    slug: 'impl-alice-demo-12-abcde',
    workflowId: 'gitea:alice/demo#12',
    subject: { forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 },
    branch: 'bot-bottle/12-abcde',
  },
] as const;
const REPORT: SweepReport = {
  end: 'done',
  runs: 4,
  waiting: 2,
  entries: [{ slug: 'impl-alice-demo-9-zzzzz', what: 'remove', outcome: 'done', detail: 'gone' }],
  scratchRemoved: 0,
  durationMs: 7,
};

describe("the sweeper's schedule, on the real server", function () {
  this.timeout(180_000);
  const server = localServer();
  let client: Client;

  before(() => {
    client = server().client;
  });
  afterEach(() => setSweepSchedule(client, HOST, null));

  it('sweeps at once, then at its interval, one at a time; the rows at home and the things on the host', async () => {
    const asked: unknown[] = [];
    const common = {
      connection: server().nativeConnection,
      namespace: server().namespace ?? 'default',
    };
    const home: RowReviewActivities = {
      reviewRows: (input) => {
        asked.push(input);
        const detail = 'its workflow ended';
        return Promise.resolve({
          expected: EXPECTED,
          repaired: [{ slug: 'impl-alice-demo-8-yyyyy', what: 'row_repaired', outcome: 'done', detail }],
        });
      },
    };
    const host: SweepActivities = {
      sweepHost: (input) => {
        asked.push(input);
        return Promise.resolve(REPORT);
      },
    };
    const [main, other] = await Promise.all([
      Worker.create({
        ...common,
        taskQueue: TASK_QUEUE,
        workflowBundle: await workflowBundle(),
        activities: home,
      }),
      Worker.create({ ...common, taskQueue: bottlesQueue(HOST), activities: host }),
    ]);
    const running = other.run();
    try {
      await main.runUntil(async () => {
        assert.equal(await setSweepSchedule(client, HOST, 600_000), 'created');
        const { spec, policies } = await client.schedule.getHandle(sweepScheduleOf(HOST)).describe();
        assert.equal(spec.intervals?.[0]?.every, 600_000);
        assert.deepEqual([policies.overlap, policies.catchupWindow], [ScheduleOverlapPolicy.SKIP, 60_000]);
        const sweeps = async (): Promise<{ readonly workflowId: string; readonly runId: string }[]> => {
          const found = [];
          const query = `WorkflowType = '${SWEEP_WORKFLOW}' AND ExecutionStatus = 'Completed'`;
          for await (const one of client.workflow.list({ query })) found.push(one);
          return found;
        };
        await waitUntil('the first sweep', async () => (await sweeps()).length === 1);
        const [sweep] = await sweeps();
        assert.ok(sweep !== undefined);
        assert.equal(subjectOfWorkflow(sweep.workflowId), undefined, 'not the id of an issue');
        const handle = client.workflow.getHandle(sweep.workflowId, sweep.runId);
        const result = (await handle.result()) as SweepReport;
        assert.deepEqual(
          result.entries.map(({ what }) => what),
          ['row_repaired', 'remove'],
        );
        const { currentDetails } = await handle.query<{ currentDetails: string }>(
          '__temporal_workflow_metadata',
        );
        assert.match(currentDetails, /4 runs[^]*2 things[^]*impl-alice-demo-9-zzzzz/);
        assert.deepEqual(asked, [{ host: HOST }, { expected: EXPECTED }]);
        assert.equal(await setSweepSchedule(client, HOST, 600_000), 'updated');
        await waitUntil('the sweep of a worker that starts again', async () => (await sweeps()).length === 2);
        await waitUntil('old sweeps to be gone', async () => {
          await forgetPasses(client, SWEEP_WORKFLOW, Date.now() + 60_000, 0);
          return (await sweeps()).length === 0;
        });
        assert.equal(await setSweepSchedule(client, HOST, null), 'removed');
      });
    } finally {
      other.shutdown();
      await running;
    }
  });
});
