import assert from 'node:assert/strict';
import { Client, Connection, ServiceError } from '@temporalio/client';
import { UnreachableError } from '../../../src/cli/base/errors.js';
import { call } from '../../../src/cli/runs/call-workflow.js';

describe('a call of a workflow that nobody answers', () => {
  it('says where Temporal was asked, and what to look at', async () => {
    const client = new Client({ connection: Connection.lazy({ address: '127.0.0.1:9' }) });
    try {
      await assert.rejects(
        call({ client, callMs: 300 }, (handle) => handle.describe(), 'any'),
        (error: unknown) => {
          assert.ok(error instanceof UnreachableError);
          assert.match(error.message, /^Temporal or its worker does not answer: .*127\.0\.0\.1:9\b/);
          for (const word of ['TEMPORAL_ADDRESS', 'bot-bottle doctor', 'bot-bottle worker'])
            assert.ok(error.message.includes(word), word);
          return true;
        },
      );
    } finally {
      await client.connection.close();
    }
  });

  it('says that it is busy where Temporal takes no more', async () => {
    const client = new Client({ connection: Connection.lazy({ address: '127.0.0.1:9' }) });
    const status = Object.assign(new Error('8 RESOURCE_EXHAUSTED: too many'), {
      ...{ code: 8, details: 'too many', metadata: {} },
    });
    try {
      for (const error of [status, new ServiceError('cannot', { cause: status })])
        await assert.rejects(
          call({ client, callMs: 300 }, () => Promise.reject(error), 'any'),
          (thrown: unknown) => thrown instanceof UnreachableError && thrown.message.includes('it is busy'),
        );
    } finally {
      await client.connection.close();
    }
  });
});
