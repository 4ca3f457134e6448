import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import SqliteDatabase from 'better-sqlite3';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { CliError, failureOf } from '../../../src/cli/base/errors.js';
import { EXIT } from '../../../src/cli/base/exit-codes.js';
import { InvalidInputError } from '../../../src/domain/base/errors.js';

/** Nobody listens there. */
const NOWHERE = '127.0.0.1:9';

describe('what a failure becomes', () => {
  it('says that Temporal does not answer, and what to check, for the client’s own error', async () => {
    const connection = Connection.lazy({ address: NOWHERE });
    try {
      const error: unknown = await connection
        .withDeadline(Date.now() + 500, () => connection.workflowService.getSystemInfo({}))
        .catch((thrown: unknown) => thrown);
      const failure = failureOf(error);
      assert.deepEqual([failure.code, failure.exitCode], ['unreachable', EXIT.unreachable]);
      assert.match(failure.message, /^Temporal does not answer: check TEMPORAL_ADDRESS/);
    } finally {
      await connection.close();
    }
  });

  it('says the same for what the client makes of it, with the reason that it wraps', async () => {
    const client = new Client({ connection: Connection.lazy({ address: NOWHERE }) });
    const wrapped: readonly (() => Promise<unknown>)[] = [
      () => client.workflow.start('any', { workflowId: 'any', taskQueue: 'any' }),
      () => client.schedule.getHandle('any').delete(),
      () => client.schedule.list()[Symbol.asyncIterator]().next(),
    ];
    try {
      for (const call of wrapped) {
        const error: unknown = await client
          .withDeadline(Date.now() + 500, call)
          .catch((thrown: unknown) => thrown);
        const failure = failureOf(error);
        assert.deepEqual(
          [failure.code, failure.exitCode],
          ['unreachable', EXIT.unreachable],
          call.toString(),
        );
        assert.match(failure.message, /^Temporal does not answer: .*(ECONNREFUSED|[Dd]eadline)/s);
      }
    } finally {
      await client.connection.close();
    }
  });

  it('says the same for the error of a worker’s native connection', async () => {
    const error: unknown = await NativeConnection.connect({ address: NOWHERE }).catch(
      (thrown: unknown) => thrown,
    );
    const failure = failureOf(error);
    assert.deepEqual([failure.code, failure.exitCode], ['unreachable', EXIT.unreachable]);
    assert.match(failure.message, /^Temporal does not answer: check TEMPORAL_ADDRESS.*127\.0\.0\.1:9/s);
  });

  it('says what to do about a full disk, in whoever’s words it was told', async () => {
    await assert.rejects(writeFile('/dev/full', 'x'), (error) => {
      assert.match(failureOf(error).message, /^ENOSPC.*: make room .*bot-bottle gc --dry-run/s);
      return true;
    });
    const database = new SqliteDatabase(':memory:');
    database.pragma('max_page_count = 1');
    try {
      database.exec('CREATE TABLE a (b); CREATE TABLE c (d)');
      assert.fail('there was room');
    } catch (error) {
      assert.match(failureOf(error).message, /^database or disk is full: make room /);
    } finally {
      database.close();
    }
  });

  it('says whose account it takes where the system does not let this one', () => {
    const denied = Object.assign(new Error("EACCES: permission denied, stat '/h/config.yaml'"), {
      code: 'EACCES',
    });
    assert.match(failureOf(denied).message, /config\.yaml': use the account that it belongs to/);
  });

  it('keeps what a command or the domain said, and calls everything else failed', () => {
    assert.deepEqual(failureOf(new CliError('refused', EXIT.refused, 'no')), {
      code: 'refused',
      exitCode: EXIT.refused,
      message: 'no',
    });
    assert.equal(failureOf(new InvalidInputError('what')).exitCode, EXIT.usage);
    assert.deepEqual(failureOf('odd'), { code: 'failed', exitCode: EXIT.failed, message: 'odd' });
  });
});
