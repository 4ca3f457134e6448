import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { bottlesQueue, CLAIM_QUEUE, TASK_QUEUE, turnsQueue } from '../../workflows/messages.js';
import { workerDataConverter } from './codec/data-converter.js';
import type { TemporalTarget } from './connect.js';
import { workflowSource } from './workflow-source.js';

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
}

/** How many short container activities run at once beside the turns: attachments may never wait behind launches. */
const SHORT_ACTIVITIES = 200;

/**
 * One process, four queues: workflows and light activities, claims, this host's turns and this host's short work.
 * Shutdown detaches turns at once and gives the rest half a minute.
 */
export async function createWorkers({
  target,
  host,
  slots,
  activities,
}: WorkersOptions): Promise<RunningWorkers> {
  const connection = await NativeConnection.connect(target.connection);
  const common = {
    connection,
    namespace: target.namespace,
    dataConverter: workerDataConverter(target.codecKeys ?? []),
    maxHeartbeatThrottleInterval: '1s',
    defaultHeartbeatThrottleInterval: '1s',
    shutdownForceTime: '60s',
  } satisfies WorkerOptions | Record<string, unknown>;
  const source = await workflowSource((target.codecKeys ?? []).length > 0);
  const workers = await Promise.all([
    Worker.create({
      ...common,
      ...source,
      taskQueue: TASK_QUEUE,
      activities: activities.home,
      shutdownGraceTime: '30s',
      // A killed worker's sticky queue costs this much before another one takes the workflow over.
      stickyQueueScheduleToStartTimeout: '2s',
    }),
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
      maxConcurrentActivityTaskExecutions: SHORT_ACTIVITIES,
      shutdownGraceTime: '30s',
    }),
  ]);
  return new RunningWorkers(connection, workers);
}

export class RunningWorkers {
  private readonly running: Promise<unknown>;

  constructor(
    private readonly connection: NativeConnection,
    private readonly workers: readonly Worker[],
  ) {
    this.running = Promise.all(workers.map((worker) => worker.run()));
    this.running.catch(() => {
      this.stop();
    });
  }

  stop(): void {
    for (const worker of this.workers) {
      if (worker.getState() === 'RUNNING') worker.shutdown();
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

async function untilStopped(worker: Worker): Promise<void> {
  while (worker.getState() !== 'STOPPED' && worker.getState() !== 'FAILED') {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
