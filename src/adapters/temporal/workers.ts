import { Client } from '@temporalio/client';
import { NativeConnection, Worker, type ReplayWorkerOptions, type WorkerOptions } from '@temporalio/worker';
import sdk from '@temporalio/worker/package.json' with { type: 'json' };
import { bottlesQueue, CLAIM_QUEUE, TASK_QUEUE, turnsQueue } from '../../workflows/messages.js';
import { workerDataConverter } from './codec/data-converter.js';
import type { TemporalTarget } from './connect.js';
import { DEPLOYMENT, drainageOf, versionsInUse, type WorkflowProgram } from './deployment.js';
import { RunningWorkers } from './running-workers.js';

/** Workflow code contains the SDK that bundled it, and only that very version can run it. */
export const SDK_VERSION = sdk.version;

export interface EarlierProgram extends WorkflowProgram {
  /** Why no worker can run it. */
  readonly fault?: string;
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
  readonly earlier?: readonly EarlierProgram[];
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
  const needed = await neededOf(client, program, earlier);
  const own = await workerOf(program);
  const running = new Map<string, Worker>();
  const stranded = new Map<string, string>();
  for (const { buildId, fault, path } of needed)
    try {
      if (fault === undefined) running.set(buildId, await workerOf({ buildId, path }));
      else stranded.set(buildId, fault);
    } catch (error) {
      // Whatever is wrong with an old version, the new one starts.
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
  return new RunningWorkers(connection, [own, ...others], { earlier: running, stranded, replay });
}

/** The versions that open workflows may be of: those that are listed, and those that the server has not seen drained. */
async function neededOf(
  client: Client,
  { buildId: own }: WorkflowProgram,
  earlier: readonly EarlierProgram[],
): Promise<readonly EarlierProgram[]> {
  const inUse = await versionsInUse(client, own);
  const needed: EarlierProgram[] = [];
  for (const program of earlier)
    if (inUse.includes(program.buildId) || (await drainageOf(client, program.buildId)) === 'used')
      needed.push(program);
  for (const buildId of inUse)
    if (!earlier.some((kept) => kept.buildId === buildId))
      needed.push({ buildId, path: '', fault: 'its code is not in this home' });
  return needed;
}
