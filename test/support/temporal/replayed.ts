import { Worker, type WorkflowBundle } from '@temporalio/worker';
import type { History } from './histories.js';
import { workflowBundle } from './time-skipping.js';

export interface Replayed {
  readonly name: string;
  /** What stands against the workflows as they are here having had this history, if anything does. */
  readonly error: Error | undefined;
}

/** By one worker for all of them: to start one costs more than to replay most histories. */
export async function allReplayed(
  histories: readonly { readonly name: string; readonly history: History }[],
  bundle: Promise<WorkflowBundle> = workflowBundle(),
): Promise<Replayed[]> {
  const results = Worker.runReplayHistories(
    { workflowBundle: await bundle },
    histories.map(({ name, history }) => ({ workflowId: name, history })),
  );
  const all: Replayed[] = [];
  for await (const { workflowId, error } of results) all.push({ name: workflowId, error });
  return all;
}

export async function replayed(
  name: string,
  history: History,
  bundle?: Promise<WorkflowBundle>,
): Promise<Error | undefined> {
  const [only] = await allReplayed([{ name, history }], bundle);
  if (only === undefined) throw new Error(`${name} was not replayed`);
  return only.error;
}
