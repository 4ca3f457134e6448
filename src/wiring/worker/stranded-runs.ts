import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { moveTo, openOf, type OpenWorkflow } from '../../adapters/temporal/deployment.js';
import { isNotFound } from '../../adapters/temporal/grpc-status.js';
import type { RunningWorkers } from '../../adapters/temporal/running-workers.js';
import type { Logger } from '../../config/log.js';
import { ISSUE_WORKFLOW } from '../../workflows/messages.js';

const REMEDY =
  'to let it end there, start the program of that version again; or end it (docs/upgrade.md#runs-that-stand-still)';

interface Parts {
  readonly client: Client;
  readonly buildId: string;
  readonly workers: Pick<RunningWorkers, 'replayError'>;
  readonly log: Logger;
}

/** Runs of versions that no worker can be of: other code would corrupt them, unless it does what their history says. */
export class StrandedRuns {
  /** Executions that were moved, or cannot be. */
  private readonly done = new Set<string>();

  /** @param wake has the run take a task */
  constructor(
    private readonly parts: Parts,
    private readonly wake: (workflowId: string) => Promise<void>,
  ) {}

  /**
   * Moves those to this version whose history replays on it, and logs of the others that they stand still. Errors: gRPC's.
   * @param why no worker is of the version
   */
  async moveOf(version: string, why: string): Promise<void> {
    const { client, buildId, log } = this.parts;
    for (const run of await openOf(client, version)) {
      if (this.done.has(run.runId)) continue;
      try {
        const err = await this.replayError(run);
        const about = { workflowId: run.workflowId, version, why };
        if (err === undefined) {
          await moveTo(client, run, buildId);
          if (run.type === ISSUE_WORKFLOW) await this.wake(run.workflowId);
          log.warn(about, 'this run’s version cannot be run any more; it was moved to this one');
        } else log.error({ ...about, err }, `a run stands still, as its version cannot be run: ${REMEDY}`);
      } catch (error) {
        // It ended since it was listed.
        if (!(error instanceof WorkflowNotFoundError || isNotFound(error))) throw error;
      }
      this.done.add(run.runId);
    }
  }

  private async replayError({ workflowId, runId }: OpenWorkflow): Promise<Error | undefined> {
    const { client, workers } = this.parts;
    return workers.replayError(workflowId, await client.workflow.getHandle(workflowId, runId).fetchHistory());
  }
}
