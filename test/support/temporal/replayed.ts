import { Worker, type WorkflowBundle } from '@temporalio/worker';
import type { History } from './histories.js';
import { workflowBundle } from './time-skipping.js';

/** What stands against the workflows as they are here having had this history, if anything does. */
export async function replayed(
  name: string,
  history: History,
  bundle: Promise<WorkflowBundle> = workflowBundle(),
): Promise<Error | undefined> {
  const results = Worker.runReplayHistories({ workflowBundle: await bundle, replayName: name }, [
    { workflowId: name, history },
  ]);
  for await (const { error } of results) return error;
  return undefined;
}
