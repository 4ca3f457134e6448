import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import SqliteDatabase from 'better-sqlite3';
import { openDatabase } from '../../../src/adapters/sqlite/open-database.js';
import { openDatabaseReadOnly } from '../../../src/adapters/sqlite/open-database-read-only.js';
import { StoreError } from '../../../src/adapters/sqlite/store-error.js';
import { stateRow } from '../../support/webhook/rows.js';
import { useTempDir } from '../../support/webhook/temp-dir.js';

const run = promisify(execFile);
const modeOf = (file: string): number => statSync(file).mode & 0o777;

describe('opening bot-bottle.db', () => {
  const path = useTempDir();

  it('makes a private file in a private directory, with full durability', async () => {
    const file = path('home/deep/bot-bottle.db');
    const database = await openDatabase(file);
    await database.forgeState.upsert(stateRow());
    assert.equal(modeOf(path('home')), 0o700);
    assert.equal(modeOf(path('home/deep')), 0o700);
    for (const suffix of ['', '-wal', '-shm']) assert.equal(modeOf(file + suffix), 0o600);
    await database.close();
  });

  it('takes rights of others away from a file it finds', async () => {
    const file = path('open.db');
    await (await openDatabase(file)).close();
    chmodSync(file, 0o644);
    await (await openDatabase(file)).close();
    assert.equal(modeOf(file), 0o600);
  });

  it('leaves a file of a newer version exactly as it is', async () => {
    const file = path('newer.db');
    const newer = new SqliteDatabase(file);
    newer.exec('CREATE TABLE something_else (a); PRAGMA user_version = 999');
    newer.close();
    const before = readFileSync(file);
    for (const open of [openDatabase, (name: string) => openDatabaseReadOnly(name).forgeState.all()]) {
      await assert.rejects(
        () => open(file),
        (error) => error instanceof StoreError && /version 999.*newer program/.test(error.message),
      );
    }
    assert.deepEqual(readFileSync(file), before);
  });

  const OLD: Readonly<Record<string, string>> = {
    'numbers-of-its-own':
      'CREATE TABLE forge_state (slug TEXT NOT NULL, epoch INTEGER NOT NULL); PRAGMA user_version = 8',
    'proposals-of-agents-alone':
      'CREATE TABLE forge_state (slug TEXT NOT NULL, workflow_id TEXT NOT NULL); ' +
      'CREATE TABLE proposal (slug TEXT NOT NULL, id TEXT NOT NULL); PRAGMA user_version = 3',
  };
  for (const [what, made] of Object.entries(OLD))
    it(`leaves a file that is too old as it is, and says so: ${what}`, async () => {
      const file = path(`${what}.db`);
      const old = new SqliteDatabase(file);
      old.exec(made);
      old.close();
      const before = readFileSync(file);
      for (const open of [openDatabase, (name: string) => openDatabaseReadOnly(name).forgeState.all()])
        await assert.rejects(
          () => open(file),
          (error) =>
            error instanceof StoreError &&
            !error.retryable &&
            /\.db is older .*end its runs with the program that made it/.test(error.message),
        );
      assert.deepEqual(readFileSync(file), before);
    });

  it('says what is wrong with a file that is no database', async () => {
    const file = path('text.db');
    writeFileSync(file, 'this is not a database, it is a text file');
    for (const open of [openDatabase, (name: string) => openDatabaseReadOnly(name).forgeState.all()])
      await assert.rejects(
        () => open(file),
        (error) =>
          error instanceof StoreError &&
          error.message ===
            `${file} is no database: restore it from a backup, or move it away, and a new one is made`,
      );
    assert.equal(readFileSync(file, 'utf8'), 'this is not a database, it is a text file');
  });

  it('is made once by several processes that open it at the same time, and takes all their rows', async () => {
    const file = path('shared/bot-bottle.db');
    const script = new URL('write-rows.ts', import.meta.url).pathname;
    const writers = ['11', '22', '33'].map((owner) =>
      run(process.execPath, ['--import', 'tsx', script, file, owner, '40']),
    );
    await Promise.all(writers);
    const database = await openDatabase(file);
    assert.equal((await database.forgeState.all()).length, 120);
    assert.equal((await database.runs.operations('shared')).length, 120);
    await database.close();
  }).timeout(60_000);
});

describe('bot-bottle.db for readers', () => {
  const path = useTempDir();

  it('is empty while there is no file, and does not make one', async () => {
    const file = path('none.db');
    const reader = openDatabaseReadOnly(file);
    assert.deepEqual(await reader.forgeState.all(), []);
    assert.equal(
      await reader.forgeState.get({ forge: 'gitea', owner: 'a', repo: 'b', number: 1 }),
      undefined,
    );
    assert.deepEqual(await reader.runs.operations('s-1'), []);
    assert.deepEqual(await reader.transaction(({ pauses }) => pauses.all()), []);
    assert.equal(statSync(file, { throwIfNoEntry: false }), undefined);
    await reader.close();
  });

  it('shows what a writer does, from before the file was there', async () => {
    const file = path('live.db');
    const reader = openDatabaseReadOnly(file);
    assert.deepEqual(await reader.forgeState.all(), []);
    writeFileSync(file, '');
    assert.deepEqual(await reader.forgeState.all(), []);
    const writer = await openDatabase(file);
    await writer.forgeState.upsert(stateRow());
    assert.deepEqual(await reader.forgeState.all(), [stateRow()]);
    await writer.forgeState.upsert(stateRow({ status: 'frozen' }));
    assert.equal((await reader.forgeState.all())[0]?.status, 'frozen');
    await writer.close();
    assert.equal((await reader.forgeState.all())[0]?.status, 'frozen');
    await reader.close();
  });

  it('opens what a writer left behind', async () => {
    const file = path('left.db');
    const writer = await openDatabase(file);
    await writer.forgeState.upsert(stateRow());
    await writer.close();
    const reader = openDatabaseReadOnly(file);
    assert.equal((await reader.forgeState.all()).length, 1);
    await reader.close();
  });

  it('writes nothing', async () => {
    const file = path('ro.db');
    await (await openDatabase(file)).close();
    const reader = openDatabaseReadOnly(file);
    const isRefused = (error: unknown): boolean =>
      error instanceof StoreError && error.message.includes('only the worker writes it');
    const none = openDatabaseReadOnly(path('none-yet.db'));
    for (const { forgeState, pauses, sessions, operatorLog } of [reader, none]) {
      await assert.rejects(forgeState.upsert(stateRow()), isRefused);
      await assert.rejects(pauses.remove('*'), isRefused);
      await assert.rejects(sessions.update('s-1', 1), isRefused);
      const command = { id: 'c', at: 1, who: 'alice', kind: 'extend', detail: {} } as const;
      await assert.rejects(
        operatorLog.append({ ...command, slug: null, workflowId: 'gitea:alice/demo#1' }),
        isRefused,
      );
      assert.deepEqual(await forgeState.all(), []);
    }
    await none.close();
    await reader.close();
  });

  it('says that a file is older than the program', async () => {
    const file = path('older.db');
    const older = new SqliteDatabase(file);
    older.pragma('user_version = 1');
    older.close();
    const reader = openDatabaseReadOnly(file);
    await assert.rejects(reader.forgeState.all(), (error) => {
      assert.ok(error instanceof StoreError && error.retryable);
      assert.match(error.message, /older\.db has schema version 1 of 6: start the worker/);
      return true;
    });
    await reader.close();
  });
});
