import type { Client } from '@temporalio/client';
import { moveTo, openOf } from '../../adapters/temporal/deployment.js';
import type { RunningWorkers } from '../../adapters/temporal/workers.js';
import type { Logger } from '../../config/log.js';
import { ISSUE_WORKFLOW } from '../../workflows/messages.js';

const REMEDY = 'start the program of that version until it has ended (docs/upgrade.md#runs-that-stand-still)';

interface Parts {
  readonly client: Client;
  readonly buildId: string;
  readonly workers: Pick<RunningWorkers, 'stranded' | 'replayError'>;
  readonly log: Logger;
}

interface Stranded {
  /** Has a run take a task. */
  readonly wake: (workflowId: string) => Promise<void>;
  /** Ids of the executions that need no second look. */
  readonly looked: Set<string>;
}

/**
 * Moves the workflows of a version that no worker is of to this one, where their history replays. Any other stays: code that
 * does something else would corrupt it. Errors: gRPC's.
 */
export async function moveStranded(
  { client, buildId, workers, log }: Parts,
  version: string,
  { wake, looked }: Stranded,
): Promise<void> {
  for (const run of await openOf(client, version)) {
    const { workflowId, runId, type } = run;
    if (looked.has(runId)) continue;
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const err = await workers.replayError(workflowId, history);
    const about = { workflowId, version, why: workers.stranded.get(version) };
    if (err === undefined) {
      await moveTo(client, run, buildId);
      if (type === ISSUE_WORKFLOW) await wake(workflowId);
      log.warn(about, 'the version of this run cannot be run here; it was moved to this one');
    } else log.error({ ...about, err }, `a run stands still, as its version cannot be run here: ${REMEDY}`);
    looked.add(runId);
  }
}
