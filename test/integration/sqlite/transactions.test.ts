import assert from 'node:assert/strict';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import { openDatabaseReadOnly } from '../../../src/adapters/sqlite/open-database-read-only.js';
import type { OperationRow } from '../../../src/domain/run/rows.js';
import type { Stores } from '../../../src/domain/run/stores.js';
import { stateRow } from '../../support/webhook/rows.js';
import { useNewPaths } from '../../support/webhook/temp-dir.js';
import { useDatabase } from '../../support/webhook/use-database.js';

const operation = (id: string): OperationRow => ({
  ...{ slug: 's-1', turn: 1, id, at: 1, operation: 'read_issue', target: '#1', outcome: 'ok', text: '' },
});

describe('a transaction of bot-bottle.db', () => {
  const newPath = useNewPaths();
  let file: string;
  const database = useDatabase(() => (file = newPath()));

  /** Two rows, with other work of the process in between. */
  const write =
    (number: number, end: () => void = () => undefined) =>
    async ({ forgeState, runs }: Stores): Promise<void> => {
      await forgeState.upsert(stateRow({ issueNumber: number }));
      await turnOfTheLoop();
      await runs.appendOperations([operation(String(number))]);
      await turnOfTheLoop();
      end();
    };
  const stop = (): never => {
    throw new Error('stop');
  };
  const numbers = async (of = database()): Promise<number[]> =>
    (await of.forgeState.all()).map(({ issueNumber }) => issueNumber);
  const ids = async (): Promise<string[]> => (await database().runs.operations('s-1')).map(({ id }) => id);

  it('is undone whole when its work fails', async () => {
    await assert.rejects(database().transaction(write(1, stop)), /stop/);
    assert.deepEqual([await numbers(), await ids()], [[], []]);
  });

  it('keeps apart from others of the same process: both stay, and one that fails is undone alone', async () => {
    const ended = await Promise.allSettled([
      database().transaction(write(1)),
      database().transaction(write(2, stop)),
      database().transaction(write(3)),
      database().forgeState.upsert(stateRow({ issueNumber: 4 })),
    ]);
    assert.deepEqual(
      ended.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    );
    assert.deepEqual(
      [await numbers(), await ids()],
      [
        [1, 3, 4],
        ['1', '3'],
      ],
    );
  });

  it('adds up what each has read, in whatever order they began', async () => {
    const slug = stateRow().slug;
    await database().forgeState.upsert(stateRow({ epoch: 1 }));
    const step = (): Promise<void> =>
      database().transaction(async ({ forgeState }) => {
        const row = await forgeState.ofRun(slug);
        await turnOfTheLoop();
        if (row !== undefined) await forgeState.upsert({ ...row, epoch: (row.epoch ?? 0) + 1 });
      });
    await Promise.all(Array.from({ length: 20 }, step));
    assert.equal((await database().forgeState.ofRun(slug))?.epoch, 21);
  });

  it('has the lock for writing from its beginning, and others see nothing of it before its end', async () => {
    const reader = openDatabaseReadOnly(file);
    const other = new SqliteDatabase(file, { timeout: 0 });
    await database().transaction(async (stores) => {
      await stores.forgeState.all();
      assert.throws(() => other.exec('BEGIN IMMEDIATE'), /locked/);
      await stores.forgeState.upsert(stateRow());
      assert.deepEqual(await numbers(reader), []);
    });
    assert.deepEqual(await numbers(reader), [12]);
    other.close();
    await reader.close();
  });

  it('waits for another process that writes, and says so when that takes too long', async () => {
    const other = new SqliteDatabase(file);
    other.exec('BEGIN IMMEDIATE');
    await assert.rejects(database().transaction(write(1)), /locked/);
    other.exec('ROLLBACK');
    other.close();
    await database().transaction(write(1));
    assert.deepEqual(await numbers(), [1]);
  });

  it('fails by what failed when SQLite itself has rolled it back', async () => {
    const rollingBack = async ({ forgeState }: Stores): Promise<void> => {
      await forgeState.upsert(stateRow({ issueNumber: 666 }));
    };
    const other = new SqliteDatabase(file);
    other.exec(
      "CREATE TRIGGER full BEFORE INSERT ON forge_state WHEN new.issue_number = 666 BEGIN SELECT raise(rollback, 'no room'); END",
    );
    other.close();
    await assert.rejects(database().transaction(rollingBack), /no room/);
    await database().transaction(write(1));
    assert.deepEqual(await numbers(), [1]);
  });

  it('of a reader is one view over several reads', async () => {
    const reader = openDatabaseReadOnly(file);
    await reader.transaction(async ({ forgeState }) => {
      assert.deepEqual(await forgeState.all(), []);
      await database().forgeState.upsert(stateRow());
      assert.deepEqual(await forgeState.all(), []);
    });
    assert.deepEqual(await numbers(reader), [12]);
    await reader.close();
  });

  it('takes any number of operations', async () => {
    const many = Array.from({ length: 10_001 }, (_value, at) => operation(String(at)));
    await database().transaction(({ runs }) => runs.appendOperations(many));
    assert.deepEqual(await database().runs.operations('s-1'), many);
  });
});
