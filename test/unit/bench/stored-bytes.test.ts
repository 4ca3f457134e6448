import assert from 'node:assert/strict';
import { mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { databaseBytes, treeBytes } from '../../../bench/base/stored-bytes.js';
import { withTempDir } from '../../support/files/temp-home.js';

const ROWS = 500;

describe('the bytes of a database', () => {
  it('are those of its pages in use, also while they stand in its log only, and not what was freed', () =>
    withTempDir(async (dir) => {
      const file = join(dir, 'a.db');
      const database = new Sqlite(file);
      try {
        database.pragma('journal_mode = WAL');
        database.pragma('wal_autocheckpoint = 0');
        database.exec('CREATE TABLE t (x TEXT)');
        const empty = await databaseBytes(file);
        const insert = database.prepare('INSERT INTO t VALUES (?)');
        for (let at = 0; at < ROWS; at += 1) insert.run('x'.repeat(1000));
        const full = await databaseBytes(file);
        assert.ok((await stat(file)).size < full, 'all of it was in the file already');
        assert.ok(full - empty >= ROWS * 1000 && full - empty < ROWS * 1500, String(full - empty));
        database.exec('DELETE FROM t');
        assert.equal(await databaseBytes(file), empty);
      } finally {
        database.close();
      }
    }));

  it('are none where there is no file', () =>
    withTempDir(async (dir) => {
      assert.equal(await databaseBytes(join(dir, 'a.db')), 0);
    }));
});

describe('the bytes of a tree', () => {
  it('are those of its files at every depth, each told of by its path, and of no link', () =>
    withTempDir(async (dir) => {
      await mkdir(join(dir, 'a', 'b'), { recursive: true });
      await writeFile(join(dir, 'a', 'one'), '1');
      await writeFile(join(dir, 'a', 'b', 'two'), '22');
      await symlink(join(dir, 'a', 'b', 'two'), join(dir, 'link'));
      const told: [string, number][] = [];
      assert.equal(await treeBytes(dir, (path, bytes) => told.push([path, bytes])), 3);
      assert.deepEqual(told.sort(), [
        ['a/b/two', 2],
        ['a/one', 1],
      ]);
      assert.equal(await treeBytes(join(dir, 'nowhere')), 0);
    }));
});
