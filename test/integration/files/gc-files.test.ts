import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LocalBlobStore } from '../../../src/adapters/files/blob-store.js';
import { forgetKeptRun, keptRuns } from '../../../src/adapters/files/run/kept-runs.js';
import { removeBlob, storedBlobs } from '../../../src/adapters/files/stored-blobs.js';
import { withTempDir } from '../../support/files/temp-home.js';

const SLUG = 'impl-alice-demo-1-abcde';

describe('what gc finds of runs', () => {
  it('are directories: a file that somebody has put beside them is none, and spoils nothing', () =>
    withTempDir(async (home) => {
      await mkdir(join(home, 'state', SLUG, 'turns'), { recursive: true });
      await writeFile(join(home, 'state', 'notes'), 'where I was');
      assert.deepEqual(
        (await keptRuns(home)).map(({ slug }) => slug),
        [SLUG],
      );
    }));

  it('goes whole, with what a crash has left unfinished, but for commits that nobody has', () =>
    withTempDir(async (home) => {
      const root = join(home, 'state', SLUG);
      await mkdir(join(root, 'workspace.making'), { recursive: true });
      await writeFile(join(root, '.writing-metadata.json-0123'), '{');
      await writeFile(join(root, 'unpublished.bundle'), 'commits');
      await forgetKeptRun(home, SLUG);
      assert.ok(existsSync(join(root, 'unpublished.bundle')));
      await rename(join(root, 'unpublished.bundle'), join(home, 'kept'));
      await forgetKeptRun(home, SLUG);
      assert.ok(!existsSync(root));
    }));
});

describe('what gc finds of blobs', () => {
  it('has what a gc that was killed had taken aside, and removes it', () =>
    withTempDir(async (home) => {
      const blobs = new LocalBlobStore(home);
      const ref = await blobs.put('hello');
      const directory = join(home, 'blobs', ref.slice(0, 2));
      const file = join(directory, ref.slice(2));
      await utimes(file, 1, 1);
      await rename(file, `${file}.going-${randomUUID()}`);
      const [stored, more] = await storedBlobs(home);
      assert.ok(stored?.ref === ref && stored.storedAt === 1000 && stored.bytes > 0 && more === undefined);
      assert.equal(await removeBlob(home, ref, 2000), true);
      assert.deepEqual(await readdir(directory), []);
    }));

  it('is left when it was put again, also while what a killed gc had taken aside lies there', () =>
    withTempDir(async (home) => {
      const blobs = new LocalBlobStore(home);
      const ref = await blobs.put('hello');
      const directory = join(home, 'blobs', ref.slice(0, 2));
      const aside = join(directory, `${ref.slice(2)}.going-${randomUUID()}`);
      await writeFile(aside, 'hello');
      await utimes(aside, 1, 1);
      assert.equal((await storedBlobs(home)).length, 1);
      assert.equal(await removeBlob(home, ref, 2000), false);
      assert.equal(await blobs.getText(ref), 'hello');
      assert.deepEqual(await readdir(directory), [ref.slice(2)]);
    }));
});
