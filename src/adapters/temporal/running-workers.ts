import type { History } from '@temporalio/common/lib/proto-utils.js';
import { Worker, type NativeConnection, type ReplayWorkerOptions } from '@temporalio/worker';

interface Versions {
  readonly earlier: Map<string, Worker>;
  /** Open workflows may be of them, and no worker here is. Why not, by build id. */
  readonly stranded: Map<string, string>;
  /** How this program's workflows are replayed. */
  readonly replay: ReplayWorkerOptions;
}

export class RunningWorkers {
  private readonly running: Promise<unknown>;
  private readonly workers: readonly Worker[];

  /** @param own without which nothing goes on: one that breaks ends the others */
  constructor(
    private readonly connection: NativeConnection,
    own: readonly Worker[],
    private readonly versions: Versions,
  ) {
    const { earlier, stranded } = versions;
    this.workers = [...own, ...earlier.values()];
    const old = [...earlier].map(async ([buildId, worker]) => {
      try {
        await worker.run();
      } catch (error) {
        earlier.delete(buildId);
        stranded.set(buildId, `its worker broke: ${String(error)}`);
      }
    });
    this.running = Promise.all([...own.map((worker) => worker.run()), ...old]);
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

  /** What keeps an execution from going on as it is with this program's workflows; nothing, if it replays on them. */
  async replayError(workflowId: string, history: History): Promise<Error | undefined> {
    const results = Worker.runReplayHistories(this.versions.replay, [{ workflowId, history }]);
    for await (const { error } of results) return error;
    throw new Error(`the history of ${workflowId} was not replayed`);
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
