import { WorkflowFailedError } from '@temporalio/client';
import { TerminatedFailure } from '@temporalio/common';
import { outcomeWithoutRun, type SyncOutcome } from '../../domain/sync/sync.js';

/** Of a sync's workflow, also when somebody has terminated that. Errors: any other of `result`. */
export async function syncOutcome(result: Promise<unknown>): Promise<SyncOutcome> {
  try {
    return (await result) as SyncOutcome;
  } catch (error) {
    if (!(error instanceof WorkflowFailedError && error.cause instanceof TerminatedFailure)) throw error;
    const how = `its workflow was terminated in Temporal (${error.cause.message})`;
    return outcomeWithoutRun('failed', `${how}; what still runs of it, the sweeper ends`);
  }
}
