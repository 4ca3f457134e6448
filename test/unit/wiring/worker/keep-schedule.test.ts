import assert from 'node:assert/strict';
import type { Client } from '@temporalio/client';
import { forgetOldPasses } from '../../../../src/wiring/worker/keep-schedule.js';

/** A Temporal that holds passes of long ago, and nothing else. */
class OldPasses {
  readonly left: Set<string>;
  readonly client: Client;

  constructor(count: number, afterDelete: (left: number) => void = () => undefined) {
    this.left = new Set(Array.from({ length: count }, (_, index) => `pass-${String(index)}`));
    const { left } = this;
    const run = <T>(_limit: unknown, work: () => Promise<T>): Promise<T> => work();
    const client = {
      options: { namespace: 'default' },
      withDeadline: run,
      withAbortSignal: run,
      workflow: {
        async *list() {
          for (const workflowId of await Promise.resolve([...left])) yield { workflowId, runId: 'r' };
        },
      },
      workflowService: {
        deleteWorkflowExecution: ({ workflowExecution }: { workflowExecution: { workflowId: string } }) => {
          left.delete(workflowExecution.workflowId);
          afterDelete(left.size);
          return Promise.resolve({});
        },
      },
    };
    this.client = client as unknown as Client;
  }
}

describe('removing passes of long ago', function () {
  this.timeout(20_000);

  it('leaves none, however fast they are made', async () => {
    const { client, left } = new OldPasses(600);
    await forgetOldPasses(client, 'anyWorkflow', new AbortController().signal);
    assert.equal(left.size, 0);
  });

  it('ends with the worker', async () => {
    const stop = new AbortController();
    const { client, left } = new OldPasses(1_200, (count) => {
      if (count === 700) stop.abort();
    });
    await forgetOldPasses(client, 'anyWorkflow', stop.signal);
    assert.equal(left.size, 700);
  });
});
