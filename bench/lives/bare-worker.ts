import { fileURLToPath } from 'node:url';
import { activityInfo } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import { nudgeSignal, type BareActivities } from '../workflows/bare.workflow.js';

export const BARE_QUEUE = 'bench';

/** Runs work while a worker for the bare workflows runs. */
export async function withBareWorker<T>(address: string, client: Client, work: () => Promise<T>): Promise<T> {
  const activities: BareActivities = {
    nothing: () => Promise.resolve(),
    signalBack: () => {
      const { workflowExecution } = activityInfo();
      return client.workflow.getHandle(workflowExecution?.workflowId ?? '').signal(nudgeSignal);
    },
  };
  const connection = await NativeConnection.connect({ address });
  try {
    const worker = await Worker.create({
      connection,
      taskQueue: BARE_QUEUE,
      activities,
      workflowBundle: await bundleWorkflowCode({
        workflowsPath: fileURLToPath(new URL('../workflows/bare.workflow.ts', import.meta.url)),
        logger: new DefaultLogger('ERROR'),
      }),
    });
    return await worker.runUntil(work);
  } finally {
    await connection.close();
  }
}
