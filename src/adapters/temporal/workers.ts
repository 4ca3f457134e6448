import { Client } from '@temporalio/client';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { bottlesQueue, CLAIM_QUEUE, TASK_QUEUE, turnsQueue } from '../../workflows/messages.js';
import { workerDataConverter } from './codec/data-converter.js';
import type { TemporalTarget } from './connect.js';
import { DEPLOYMENT, versionsInUse, type WorkflowProgram } from './deployment.js';

/** The activities by the queue they are polled from; their types are the caller's business. */
export interface WorkerActivities {
  readonly home: object;
  readonly claim: object;
  readonly turns: object;
  readonly host: object;
}

export interface WorkersOptions {
  readonly target: TemporalTarget;
  readonly host: string;
  readonly slots: number;
  readonly activities: WorkerActivities;
  readonly program: WorkflowProgram;
  /** Kept from before an upgrade: those that open runs are of get a worker, too. */
  readonly earlier?: readonly WorkflowProgram[];
  readonly tracing?: Pick<WorkerOptions, 'interceptors' | 'sinks'> | undefined;
}

/** Runs that began while they were traced go on telling, and the SDK complains of a sink that is not there. */
const UNHEARD: NonNullable<WorkersOptions['tracing']> = {
  sinks: { exporter: { export: { fn: () => undefined } } },
};

/** How many short container activities run at once beside the turns: attachments may never wait behind launches. */
const SHORT_ACTIVITIES = 200;

/**
 * The SDK ends workflow code that computes for five seconds by the wall's clock, and Node then aborts the whole process
 * (temporalio/sdk-typescript#939): with a thousand signals at once, a machine that is busy enough gets there. The option is the
 * SDK's own and not in its types.
 */
export const UNHURRIED = { isolateExecutionTimeout: '1 minute' } as const;

/**
 * One process, four queues: workflows and light activities, claims, this host's turns and this host's short work. Only
 * the first has versions: what is done for a run is done by the program that is there.
 * Shutdown detaches turns at once and gives the rest half a minute.
 * Errors: `BotBottleError` `later_version`, and Temporal's.
 */
export async function createWorkers(options: WorkersOptions): Promise<RunningWorkers> {
  const connection = await NativeConnection.connect(options.target.connection);
  try {
    return await workersOver(connection, options);
  } catch (error) {
    // One that is left open keeps the process from ending.
    await connection.close();
    throw error;
  }
}

async function workersOver(
  connection: NativeConnection,
  { target, host, slots, activities, program, earlier = [], tracing = UNHEARD }: WorkersOptions,
): Promise<RunningWorkers> {
  const common = {
    connection,
    namespace: target.namespace,
    dataConverter: workerDataConverter(target.codecKeys ?? []),
    maxHeartbeatThrottleInterval: '1s',
    defaultHeartbeatThrottleInterval: '1s',
    shutdownForceTime: '60s',
    ...UNHURRIED,
    ...tracing,
  } satisfies WorkerOptions | Record<string, unknown>;
  const inUse = await versionsInUse(new Client({ connection, namespace: target.namespace }), program.buildId);
  const programs = [program, ...earlier.filter(({ buildId }) => inUse.includes(buildId))];
  const byVersion = await Promise.all(
    programs.map(({ buildId, path }) =>
      Worker.create({
        ...common,
        workflowBundle: { codePath: path },
        workerDeploymentOptions: {
          version: { deploymentName: DEPLOYMENT, buildId },
          useWorkerVersioning: true,
          defaultVersioningBehavior: 'PINNED',
        },
        taskQueue: TASK_QUEUE,
        activities: activities.home,
        shutdownGraceTime: '30s',
        // A killed worker's sticky queue costs this much before another one takes the workflow over.
        stickyQueueScheduleToStartTimeout: '2s',
      }),
    ),
  );
  const others = await Promise.all([
    Worker.create({
      ...common,
      taskQueue: CLAIM_QUEUE,
      activities: activities.claim,
      shutdownGraceTime: '5s',
    }),
    Worker.create({
      ...common,
      taskQueue: turnsQueue(host),
      activities: activities.turns,
      maxConcurrentActivityTaskExecutions: slots,
      shutdownGraceTime: '2s',
    }),
    Worker.create({
      ...common,
      taskQueue: bottlesQueue(host),
      activities: activities.host,
      // After a restart each turn is watched from here.
      maxConcurrentActivityTaskExecutions: slots + SHORT_ACTIVITIES,
      shutdownGraceTime: '30s',
    }),
  ]);
  return new RunningWorkers(connection, [...byVersion, ...others], {
    earlier: new Map(programs.slice(1).map(({ buildId }, index) => [buildId, byVersion[index + 1]])),
    lacking: inUse.filter((id) => !programs.some(({ buildId }) => buildId === id)),
  });
}

interface Versions {
  readonly earlier: Map<string, Worker | undefined>;
  /** Open workflows are of them, and their code is not here. */
  readonly lacking: readonly string[];
}

export class RunningWorkers {
  private readonly running: Promise<unknown>;

  constructor(
    private readonly connection: NativeConnection,
    private readonly workers: readonly Worker[],
    private readonly versions: Versions,
  ) {
    this.running = Promise.all(workers.map((worker) => worker.run()));
    this.running.catch(() => {
      this.stop();
    });
  }

  stop(): void {
    for (const worker of this.workers) shutDown(worker);
  }

  /** Build ids of earlier versions that have a worker here. */
  get earlier(): readonly string[] {
    return [...this.versions.earlier.keys()];
  }

  get lacking(): readonly string[] {
    return this.versions.lacking;
  }

  /** For an earlier version that no open workflow is of any more. */
  endVersion(buildId: string): void {
    const worker = this.versions.earlier.get(buildId);
    if (worker !== undefined) shutDown(worker);
    this.versions.earlier.delete(buildId);
  }

  /** Resolves when all have stopped; rejects with what broke one of them. */
  async stopped(): Promise<void> {
    try {
      await this.running;
    } finally {
      await Promise.allSettled(this.workers.map((worker) => untilStopped(worker)));
      await this.connection.close();
    }
  }
}

function shutDown(worker: Worker): void {
  if (worker.getState() === 'RUNNING') worker.shutdown();
}

async function untilStopped(worker: Worker): Promise<void> {
  while (worker.getState() !== 'STOPPED' && worker.getState() !== 'FAILED') {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
