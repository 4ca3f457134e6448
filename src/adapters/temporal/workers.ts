import { Client } from '@temporalio/client';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { NativeConnection, Worker, type ReplayWorkerOptions, type WorkerOptions } from '@temporalio/worker';
import sdk from '@temporalio/worker/package.json' with { type: 'json' };
import { bottlesQueue, CLAIM_QUEUE, TASK_QUEUE, turnsQueue } from '../../workflows/messages.js';
import { workerDataConverter } from './codec/data-converter.js';
import type { TemporalTarget } from './connect.js';
import { DEPLOYMENT, drainageOf, versionsInUse, type WorkflowProgram } from './deployment.js';

export const SDK_VERSION = sdk.version;

/** Of a version before this one. */
export interface KeptProgram extends WorkflowProgram {
  /** The version of Temporal's SDK that is part of its code. The SDK runs only code that its very own version made. */
  readonly sdk: string;
}

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
  /** Kept from before an upgrade: those that open runs may be of get a worker, too. */
  readonly earlier?: readonly KeptProgram[];
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
    // One that is left open keeps the process from ending. It stays open where a worker was made, and that is not what was wrong.
    await connection.close().catch(() => undefined);
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
  const client = new Client({ connection, namespace: target.namespace });
  const workerOf = ({ buildId, path }: WorkflowProgram): Promise<Worker> =>
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
    });
  const running = new Map<string, Worker>();
  const stranded = new Map<string, string>();
  const needed = await neededOf(client, program, earlier);
  const own = await workerOf(program);
  for (const [buildId, kept] of needed)
    if (kept === undefined) stranded.set(buildId, 'its code is not in this home');
    else if (kept.sdk !== SDK_VERSION)
      stranded.set(buildId, `its code is for Temporal's SDK ${kept.sdk}, and this is ${SDK_VERSION}`);
    else
      try {
        running.set(buildId, await workerOf(kept));
      } catch (error) {
        // Whatever is wrong with an earlier version, this one starts.
        stranded.set(buildId, `its code cannot be loaded: ${String(error)}`);
      }
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
  const replay = {
    workflowBundle: { codePath: program.path },
    dataConverter: common.dataConverter,
    ...UNHURRIED,
    ...tracing,
  } satisfies ReplayWorkerOptions | Record<string, unknown>;
  const versions = { earlier: running, stranded, replay };
  return new RunningWorkers(connection, [own, ...running.values(), ...others], versions);
}

/** The versions that open workflows may be of: those that are listed, and of those in this home what is not drained yet. */
async function neededOf(
  client: Client,
  own: WorkflowProgram,
  kept: readonly KeptProgram[],
): Promise<ReadonlyMap<string, KeptProgram | undefined>> {
  const inUse = await versionsInUse(client, own.buildId);
  const needed = new Map<string, KeptProgram | undefined>(inUse.map((buildId) => [buildId, undefined]));
  for (const program of kept)
    if (needed.has(program.buildId) || (await drainageOf(client, program.buildId)) === 'used')
      needed.set(program.buildId, program);
  return needed;
}

interface Versions {
  readonly earlier: Map<string, Worker>;
  /** Open workflows may be of them, and no worker here is. Why not, by build id. */
  readonly stranded: Map<string, string>;
  /** How this program's workflows are replayed. */
  readonly replay: ReplayWorkerOptions;
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

  /** Why no worker here is of them, by build id. */
  get stranded(): ReadonlyMap<string, string> {
    return this.versions.stranded;
  }

  /** For an earlier version that no open workflow is of any more. */
  endVersion(buildId: string): void {
    const worker = this.versions.earlier.get(buildId);
    if (worker !== undefined) shutDown(worker);
    this.versions.earlier.delete(buildId);
    this.versions.stranded.delete(buildId);
  }

  /** What keeps a workflow with this history from going on with this program's code; nothing, if it replays there. */
  async replayError(workflowId: string, history: History): Promise<unknown> {
    try {
      await Worker.runReplayHistory(this.versions.replay, history, workflowId);
      return undefined;
    } catch (error) {
      return error;
    }
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
