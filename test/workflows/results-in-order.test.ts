import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { PUBLISHED } from '../support/machine/world.js';
import { waitUntil } from '../support/stack/stack.js';
import type { History } from '../support/temporal/histories.js';
import { DONE, IssueLife, served } from '../support/temporal/issue-life.js';
import { localServer } from '../support/temporal/local-server.js';
import { replayed } from '../support/temporal/replayed.js';
import { twoResults, type Steps } from '../support/temporal/two-results.workflow.js';

/** A local activity that takes more than four fifths of this is under way in two workflow tasks. */
const TASK_MS = 3_000;
/** From the begin of a workflow task until the workflow has taken what came with it; far more than that takes. */
const TAKEN_MS = 300;

describe('the result of a local activity, on a real server and when that is replayed', function () {
  this.timeout(60_000);
  const server = localServer();

  it('has its effects after those of what came while it was under way', async () => {
    let endTurn = (): void => undefined;
    const turnIsOver = new Promise<void>((resolve) => {
      endTurn = resolve;
    });
    const history = (): Promise<History> => life.handle.fetchHistory();
    const isHeardOf = async (): Promise<boolean> =>
      kindsOf(await history()).endsWith('activityTaskCompleted workflowTaskScheduled workflowTaskStarted');
    const life: IssueLife = new IssueLife(server(), {
      record: 'turn-over-while-publishing',
      taskTimeoutMs: TASK_MS,
      turn: () => turnIsOver.then(() => DONE),
      activities: () => ({
        async publishHere() {
          endTurn();
          await waitUntil('a task with the end of the turn', isHeardOf);
          await sleep(TAKEN_MS);
          return PUBLISHED;
        },
      }),
    });
    let came: History = {};
    await served(life, async () => {
      await life.trigger();
      await life.openPr(await life.running());
      await life.frozen();
      came = await history();
    });
    // One task of two activations.
    assert.match(
      kindsOf(came),
      /workflowTaskCompleted activityTaskScheduled \w+ timerCanceled markerRecorded workflowExecutionUpdateCompleted/,
    );
    assert.equal(await replayed('a turn that is over', came), undefined);
  });

  it('has its effects after those of another’s that came earlier', async () => {
    const { client, nativeConnection: connection } = server();
    const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
    const workflowBundle = await bundleWorkflowCode({
      workflowsPath: at('test/support/temporal/two-results.workflow.ts'),
      workflowInterceptorModules: [at('src/workflows/interceptors/results-in-order.ts')],
      logger: new DefaultLogger('ERROR'),
    });
    const nothing = (): Promise<void> => Promise.resolve();
    const slow = (): Promise<void> => sleep(TAKEN_MS);
    const activities: Steps = { quick: nothing, slow, afterQuick: nothing, afterSlow: nothing };
    const where = { taskQueue: 'two-results', workflowId: randomUUID() };
    const worker = await Worker.create({
      connection,
      workflowBundle,
      activities,
      taskQueue: where.taskQueue,
    });
    await worker.runUntil(client.workflow.execute(twoResults, where));
    const came = await client.workflow.getHandle(where.workflowId).fetchHistory();
    assert.equal(await replayed('two results', came, Promise.resolve(workflowBundle)), undefined);
  });
});

/** Of its events, such as `activityTaskCompleted`. */
function kindsOf({ events }: History): string {
  const kinds = (events ?? []).flatMap((event) =>
    Object.entries(event).flatMap(([name, value]) =>
      name.endsWith('EventAttributes') && value !== null ? name.replace('EventAttributes', '') : [],
    ),
  );
  return kinds.join(' ');
}
