/** Temporal's time-skipping test server with the workflow's workers over given activities. */
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { UNHURRIED } from '../../../src/adapters/temporal/workers.js';
import { DefaultLogger, Runtime, Worker, type WorkflowBundle } from '@temporalio/worker';
import { bundleWorkflows, type BundleKind } from '../../../src/adapters/temporal/workflow-source.js';
import type {
  ClaimActivities,
  HereActivities,
  HomeActivities,
  HostActivities,
  PauseActivities,
  TurnActivities,
} from '../../../src/activities/ports/interface.js';
import {
  bottlesQueue,
  CLAIM_QUEUE,
  SEARCH_ATTRIBUTES,
  TASK_QUEUE,
  turnsQueue,
} from '../../../src/workflows/messages.js';
import { testServer } from './binaries.js';

export const HOST = 'testhost0001';
export type AllActivities = HomeActivities &
  HereActivities &
  Partial<PauseActivities> &
  ClaimActivities &
  TurnActivities &
  HostActivities;

const bundles = new Map<string, Promise<WorkflowBundle>>();
let installed = false;

/** As the product makes it, once a process: that takes seconds of computing. */
export function workflowBundle(kind: Partial<BundleKind> = {}): Promise<WorkflowBundle> {
  const { encrypts = false, traces = false } = kind;
  const name = `${String(encrypts)} ${String(traces)}`;
  const bundle = bundles.get(name) ?? bundleWorkflows({ encrypts, traces }, new DefaultLogger('ERROR'));
  bundles.set(name, bundle);
  return bundle;
}

/** Quiet in tests, unless BOT_BOTTLE_TEST_LOG says otherwise. Once a process. */
export function quietRuntime(): void {
  if (installed) return;
  installed = true;
  const level = process.env['BOT_BOTTLE_TEST_LOG'] === undefined ? 'ERROR' : 'INFO';
  Runtime.install({
    logger: new DefaultLogger(level),
    telemetryOptions: { logging: { filter: 'OFF', forward: {} } },
  });
}

/** The SDK gives a server five seconds to start, which on a busy machine it may not do. */
export async function startPatiently<T>(start: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await start();
    } catch (error) {
      if (tries === 12 || !String(error).includes('did not start within')) throw error;
    }
  }
}

export async function startTimeSkipping(): Promise<TestWorkflowEnvironment> {
  quietRuntime();
  const environment = await startPatiently(() =>
    TestWorkflowEnvironment.createTimeSkipping({
      server: { executable: { type: 'existing-path', path: testServer() } },
    }),
  );
  const type = { KEYWORD: 2, INT: 3 } as const;
  await environment.connection.operatorService.addSearchAttributes({
    namespace: 'default',
    searchAttributes: Object.fromEntries(
      Object.entries(SEARCH_ATTRIBUTES).map(([name, kind]) => [name, type[kind]]),
    ),
  });
  return environment;
}

export interface RunningWorkers {
  /** Settles when they have stopped; rejects when one of them fails. */
  readonly stopped: Promise<unknown>;
  stop(): void;
}

/** Workers for all four queues. */
export async function startWorkers(
  environment: TestWorkflowEnvironment,
  activities: AllActivities,
): Promise<RunningWorkers> {
  const workflowCode = await workflowBundle();
  const common = {
    connection: environment.nativeConnection,
    namespace: environment.namespace ?? 'default',
    activities,
    maxHeartbeatThrottleInterval: '1s',
    ...UNHURRIED,
  } as const;
  const workers = await Promise.all([
    Worker.create({ ...common, workflowBundle: workflowCode, taskQueue: TASK_QUEUE }),
    ...[CLAIM_QUEUE, turnsQueue(HOST), bottlesQueue(HOST)].map((taskQueue) =>
      Worker.create({ ...common, taskQueue }),
    ),
  ]);
  const stop = (): void => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  return { stopped: Promise.all(workers.map((worker) => worker.run())), stop };
}

/** Runs work while workers for all four queues run. */
export async function withWorkers<T>(
  environment: TestWorkflowEnvironment,
  activities: AllActivities,
  work: () => Promise<T>,
): Promise<T> {
  const workers = await startWorkers(environment, activities);
  try {
    return await whileTheyRun(workers, work);
  } finally {
    workers.stop();
    await workers.stopped;
  }
}

/** Errors: when a worker fails meanwhile. */
export async function whileTheyRun<T>(workers: RunningWorkers, work: () => Promise<T>): Promise<T> {
  const isOver = workers.stopped.then(() => {
    throw new Error('the workers have stopped');
  });
  return Promise.race([work(), isOver]);
}
