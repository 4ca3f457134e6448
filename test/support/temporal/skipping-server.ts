import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { stopSharedWorkers } from './shared-workers.js';
import { startTimeSkipping } from './time-skipping.js';

/**
 * A time-skipping server of the suite that this is called in, up before its tests. Of this suite alone, since it skips
 * no more time for anybody once a run ended while an activity of it went on.
 * @returns the server, once the tests run
 */
export function timeSkipping(): () => TestWorkflowEnvironment {
  return serverOf(startTimeSkipping);
}

/** What `start` starts, up before the tests of the suite that this is called in, and stopped after them. */
export function serverOf(start: () => Promise<TestWorkflowEnvironment>): () => TestWorkflowEnvironment {
  let environment: TestWorkflowEnvironment | undefined;
  before(async () => {
    environment = await start();
  });
  after(async () => {
    if (environment === undefined) return;
    await stopSharedWorkers(environment);
    await environment.teardown();
  });
  return () => {
    if (environment === undefined) throw new Error('the server is not up yet');
    return environment;
  };
}
