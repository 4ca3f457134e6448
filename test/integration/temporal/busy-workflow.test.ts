import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { createWorkers } from '../../../src/adapters/temporal/workers.js';
import { TASK_QUEUE } from '../../../src/workflows/messages.js';
import { useTempDir } from '../../support/webhook/temp-dir.js';
import { busy } from '../../support/temporal/busy.workflow.js';
import { untilCurrent } from '../../support/temporal/deployed-workers.js';
import { localServer } from '../../support/temporal/local-server.js';
import { ScriptedActivities } from '../../support/temporal/scripted-activities.js';
import { HOST } from '../../support/temporal/time-skipping.js';

const SECONDS = 7;

/** Rounds that keep this machine busy for so long. */
async function roundsOf(seconds: number): Promise<number> {
  const sample = 100_000_000;
  const began = performance.now();
  await busy(sample);
  return Math.ceil((sample * seconds * 1_000) / (performance.now() - began));
}

describe('a workflow that computes for longer than the SDK’s five seconds', function () {
  this.timeout(120_000);
  const server = localServer();
  const file = useTempDir();

  it('is waited for, and its worker lives on', async () => {
    const { client, address } = server();
    const workflowsPath = fileURLToPath(new URL('../../support/temporal/busy.workflow.ts', import.meta.url));
    const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
    const path = join(file('.'), 'busy.js');
    await writeFile(path, code);
    const { activities } = new ScriptedActivities(() => ({ run: () => Promise.resolve({}) }));
    const workers = await createWorkers({
      target: { connection: { address }, namespace: 'default' },
      ...{ host: HOST, slots: 1, program: { buildId: 'busy', path } },
      activities: { home: activities, claim: activities, turns: activities, host: activities },
    });
    const run = async (rounds: number): Promise<unknown> =>
      client.workflow.execute(busy, {
        ...{
          taskQueue: TASK_QUEUE,
          workflowId: randomUUID(),
          workflowTaskTimeout: '1 minute',
          args: [rounds],
        },
      });
    try {
      await untilCurrent(client, 'busy');
      assert.equal(await run(await roundsOf(SECONDS)), 0);
      assert.equal(await run(1), 0);
    } finally {
      workers.stop();
      await workers.stopped();
    }
  });
});
