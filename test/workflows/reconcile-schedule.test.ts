import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection, ScheduleOverlapPolicy } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import type { ReconcileActivities } from '../../src/activities/ports/interface.js';
import { forgetPasses } from '../../src/adapters/temporal/forget-passes.js';
import { RECONCILE_SCHEDULE, setReconcileSchedule } from '../../src/adapters/temporal/pass-schedule.js';
import { loadConfig } from '../../src/config/load-config.js';
import { subjectOfWorkflow } from '../../src/domain/forge/issue.js';
import type { PassReport } from '../../src/domain/upkeep/reconcile.js';
import { createLogger } from '../../src/config/log.js';
import { keepReconcileSchedule } from '../../src/wiring/worker/reconciler.js';
import { RECONCILE_WORKFLOW, TASK_QUEUE } from '../../src/workflows/messages.js';
import { waitUntil } from '../support/stack/stack.js';
import { localServer } from '../support/temporal/local-server.js';
import { workflowBundle } from '../support/temporal/time-skipping.js';

const REPORT: PassReport = {
  end: 'done',
  detail: null,
  findings: 3,
  known: 1,
  requests: 7,
  durationMs: 12,
  cursor: '2026-01-01T00:00:00.000Z',
};

describe("the reconciler's schedule, on the real server", function () {
  this.timeout(60_000);
  const server = localServer();
  let client: Client;

  before(() => {
    client = server().client;
  });
  afterEach(() => setReconcileSchedule(client, null));

  const schedule = () => client.schedule.getHandle(RECONCILE_SCHEDULE);
  const passes = async (): Promise<{ readonly id: string; readonly runId: string }[]> => {
    const found: { readonly id: string; readonly runId: string }[] = [];
    const query = `WorkflowType = '${RECONCILE_WORKFLOW}' AND ExecutionStatus = 'Completed'`;
    for await (const { workflowId, runId } of client.workflow.list({ query }))
      found.push({ id: workflowId, runId });
    return found;
  };

  async function withWorker(
    reconcile: ReconcileActivities['reconcile'],
    work: () => Promise<void>,
  ): Promise<void> {
    const worker = await Worker.create({
      connection: server().nativeConnection,
      namespace: server().namespace ?? 'default',
      taskQueue: TASK_QUEUE,
      workflowBundle: await workflowBundle(),
      activities: { reconcile },
    });
    await worker.runUntil(work());
  }

  it('is made once, skips what overlaps, and catches up with a minute at most', async () => {
    assert.equal(await setReconcileSchedule(client, 60_000), 'created');
    assert.equal(await setReconcileSchedule(client, 60_000), 'updated');
    const { spec, policies, action } = await schedule().describe();
    assert.deepEqual(
      spec.intervals?.map(({ every }) => every),
      [60_000],
    );
    assert.equal(policies.overlap, ScheduleOverlapPolicy.SKIP);
    assert.equal(policies.catchupWindow, 60_000);
    assert.deepEqual([action.workflowType, action.taskQueue], [RECONCILE_WORKFLOW, TASK_QUEUE]);
  });

  it('takes a new interval over, and is taken away when polling is off', async () => {
    await setReconcileSchedule(client, 60_000);
    assert.equal(await setReconcileSchedule(client, 5_000), 'updated');
    const { spec } = await schedule().describe();
    assert.deepEqual(
      spec.intervals?.map(({ every }) => every),
      [5_000],
    );
    assert.equal(await setReconcileSchedule(client, null), 'removed');
    assert.equal(await setReconcileSchedule(client, null), 'absent');
    await assert.rejects(schedule().describe());
  });

  it('is made by one of several workers that start at once', async () => {
    const changes = await Promise.all([1, 2, 3].map(() => setReconcileSchedule(client, 60_000)));
    assert.equal(changes.filter((change) => change === 'created').length, 1, changes.join());
  });

  it('stays paused when an operator paused it, whatever the interval', async () => {
    await setReconcileSchedule(client, 60_000);
    await schedule().pause('the forge is being moved');
    await setReconcileSchedule(client, 30_000);
    const { state } = await schedule().describe();
    assert.deepEqual([state.paused, state.note], [true, 'the forge is being moved']);
  });

  it('runs one pass at a time, each a short workflow with what came of it, and old ones are removed', async () => {
    let atOnce = 0;
    let most = 0;
    const slowly = async (): Promise<PassReport> => {
      most = Math.max(most, (atOnce += 1));
      // Longer than the interval, so that passes would overlap if they could.
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      atOnce -= 1;
      return REPORT;
    };
    await withWorker(slowly, async () => {
      await setReconcileSchedule(client, 1_000);
      await waitUntil('two passes', async () => (await passes()).length >= 2);
      await setReconcileSchedule(client, null);
      await waitUntil('the last pass', () => atOnce === 0);
      const [pass] = await passes();
      assert.ok(pass !== undefined);
      assert.ok(pass.id.startsWith(RECONCILE_SCHEDULE));
      assert.equal(subjectOfWorkflow(pass.id), undefined, 'not the id of an issue');
      const handle = client.workflow.getHandle(pass.id, pass.runId);
      assert.deepEqual(await handle.result(), REPORT);
      const { events } = await handle.fetchHistory();
      assert.ok((events?.length ?? 99) <= 11, `${String(events?.length)} events`);
      const { currentDetails } = await handle.query<{ currentDetails: string }>(
        '__temporal_workflow_metadata',
      );
      assert.match(currentDetails, /3 findings[^]*7 requests[^]*2026-01-01/);
    });
    assert.equal(most, 1, 'passes at once');
    assert.equal(
      await forgetPasses(client, RECONCILE_WORKFLOW, Date.now()),
      0,
      'those of the last day are kept',
    );
    await waitUntil('the passes to be gone', async () => {
      // Two at once, as two workers do: one of them finds what the other has deleted still in the list.
      await Promise.all([1, 2].map(() => forgetPasses(client, RECONCILE_WORKFLOW, Date.now() + 60_000, 0)));
      return (await passes()).length === 0;
    });
  });

  it('is set up by a worker when Temporal comes, which is not waited for', async () => {
    const home = mkdtempSync(join(tmpdir(), 'bot-bottle-test-'));
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const log = createLogger({ level: 'info', name: 'worker', secrets: () => new Set(), destination });
    const { config } = loadConfig({ BOT_BOTTLE_HOME: home, FORGE_POLL_INTERVAL: '90s' });
    const nowhere = new Client({ connection: Connection.lazy({ address: '127.0.0.1:1' }) });
    const stop = new AbortController();
    try {
      const keeping = keepReconcileSchedule(nowhere, config, log, stop.signal);
      await waitUntil('the warning', () => lines.some((line) => line.includes('cannot be set yet')), 30_000);
      stop.abort();
      await keeping;
      const again = new AbortController();
      const kept = keepReconcileSchedule(client, config, log, again.signal);
      await waitUntil('the schedule', () => lines.some((line) => line.includes('"schedule":"created"')));
      again.abort();
      await kept;
      const { spec } = await schedule().describe();
      assert.equal(spec.intervals?.[0]?.every, 90_000);
    } finally {
      stop.abort();
      await nowhere.connection.close();
      rmSync(home, { recursive: true, force: true });
    }
  });
});
