import assert from 'node:assert/strict';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, RetryState, TerminatedFailure } from '@temporalio/common';
import { syncOutcome } from '../../../src/cli/runs/sync-outcome.js';
import { outcomeWithoutRun } from '../../../src/domain/sync/sync.js';

describe('the outcome of a sync that somebody waits for', () => {
  const failed = (cause: Error): Promise<never> =>
    Promise.reject(new WorkflowFailedError('failed', cause, RetryState.NON_RETRYABLE_FAILURE));

  it('is what its workflow answers', async () => {
    const outcome = outcomeWithoutRun('unchanged', 'x');
    assert.deepEqual(await syncOutcome(Promise.resolve(outcome)), outcome);
  });

  it('is failed when that was terminated, with what was said then', async () => {
    const { status, reason } = await syncOutcome(failed(new TerminatedFailure('by hand')));
    assert.equal(status, 'failed');
    assert.match(reason, /^its workflow was terminated in Temporal \(by hand\); /);
    await assert.rejects(syncOutcome(failed(new ApplicationFailure('other'))), WorkflowFailedError);
  });
});
