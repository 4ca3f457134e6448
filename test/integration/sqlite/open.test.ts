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

  it('makes a private file in a private directory, with full durability', () => {
    const file = path('home/deep/bot-bottle.db');
    const database = openDatabase(file);
    database.forgeState.upsert(stateRow());
    assert.equal(modeOf(path('home')), 0o700);
    assert.equal(modeOf(path('home/deep')), 0o700);
    for (const suffix of ['', '-wal', '-shm']) assert.equal(modeOf(file + suffix), 0o600);
    database.close();
  });

  it('takes rights of others away from a file it finds', () => {
    const file = path('open.db');
    openDatabase(file).close();
    chmodSync(file, 0o644);
    openDatabase(file).close();
    assert.equal(modeOf(file), 0o600);
  });

  it('migrates a file of version 1 and keeps its rows', () => {
    const file = path('v1.db');
    const old = new SqliteDatabase(file);
    old.exec(readFileSync(new URL('version-1.sql', import.meta.url), 'utf8'));
    old.close();
    const database = openDatabase(file);
    const rows = database.forgeState.all();
    assert.deepEqual(
      rows.map((row) => [row.slug, row.prNumber, row.status, row.phase, row.branch, row.destroyedAt]),
      [
        ['coder-alice-demo-2-aaaaa', 5, 'frozen', 'frozen', '', null],
        ['coder-alice-demo-3-bbbbb', null, 'destroyed', 'destroyed', '', 1_700_000_001_000],
      ],
    );
    database.runs.appendOperations([
      {
        slug: 's-1',
        turn: 1,
        id: 'o1',
        at: 1,
        operation: 'read_issue',
        target: '#1',
        outcome: 'ok',
        text: 'read #1',
      },
    ]);
    assert.equal(database.runs.operations('s-1').length, 1);
    database.close();
  });

  it('leaves a file of a newer version exactly as it is', () => {
    const file = path('newer.db');
    const newer = new SqliteDatabase(file);
    newer.exec('CREATE TABLE something_else (a); PRAGMA user_version = 999');
    newer.close();
    const before = readFileSync(file);
    for (const open of [openDatabase, (name: string) => openDatabaseReadOnly(name).forgeState.all()]) {
      assert.throws(
        () => open(file),
        (error) => error instanceof StoreError && /version 999.*newer program/.test(error.message),
      );
    }
    assert.deepEqual(readFileSync(file), before);
  });

  it('says what is wrong with a file that is no database', () => {
    const file = path('text.db');
    writeFileSync(file, 'this is not a database, it is a text file');
    assert.throws(() => openDatabase(file), StoreError);
    assert.equal(readFileSync(file, 'utf8'), 'this is not a database, it is a text file');
  });

  it('is made once by several processes that open it at the same time, and takes all their rows', async () => {
    const file = path('shared/bot-bottle.db');
    const script = new URL('write-rows.ts', import.meta.url).pathname;
    const writers = ['11', '22', '33'].map((owner) =>
      run(process.execPath, ['--import', 'tsx', script, file, owner, '40']),
    );
    await Promise.all(writers);
    const database = openDatabase(file);
    assert.equal(database.forgeState.all().length, 120);
    assert.equal(database.runs.operations('shared').length, 120);
    database.close();
  }).timeout(60_000);
});

describe('bot-bottle.db for readers', () => {
  const path = useTempDir();

  it('is empty while there is no file, and does not make one', () => {
    const file = path('none.db');
    const reader = openDatabaseReadOnly(file);
    assert.deepEqual(reader.forgeState.all(), []);
    assert.equal(reader.forgeState.get({ forge: 'gitea', owner: 'a', repo: 'b', number: 1 }), undefined);
    assert.deepEqual(reader.runs.operations('s-1'), []);
    assert.equal(
      reader.transaction(() => 7),
      7,
    );
    assert.equal(statSync(file, { throwIfNoEntry: false }), undefined);
    reader.close();
  });

  it('shows what a writer does, from before the file was there', () => {
    const file = path('live.db');
    const reader = openDatabaseReadOnly(file);
    assert.deepEqual(reader.forgeState.all(), []);
    writeFileSync(file, '');
    assert.deepEqual(reader.forgeState.all(), []);
    const writer = openDatabase(file);
    writer.forgeState.upsert(stateRow());
    assert.deepEqual(reader.forgeState.all(), [stateRow()]);
    writer.forgeState.upsert(stateRow({ status: 'frozen' }));
    assert.equal(reader.forgeState.all()[0]?.status, 'frozen');
    writer.close();
    assert.equal(reader.forgeState.all()[0]?.status, 'frozen');
    reader.close();
  });

  it('opens what a writer left behind', () => {
    const file = path('left.db');
    const writer = openDatabase(file);
    writer.forgeState.upsert(stateRow());
    writer.close();
    const reader = openDatabaseReadOnly(file);
    assert.equal(reader.forgeState.all().length, 1);
    reader.close();
  });

  it('writes nothing', () => {
    const file = path('ro.db');
    openDatabase(file).close();
    const reader = openDatabaseReadOnly(file);
    assert.throws(() => {
      reader.forgeState.upsert(stateRow());
    }, StoreError);
    assert.throws(() => {
      reader.runs.appendOperations([]);
    }, StoreError);
    assert.deepEqual(reader.forgeState.all(), []);
    reader.close();
  });
});
