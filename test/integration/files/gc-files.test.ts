import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LocalBlobStore } from '../../../src/adapters/files/blob-store.js';
import { forgetKeptRun, keptRuns, type KeptRun } from '../../../src/adapters/files/run/kept-runs.js';
import { removeBlob, storedBlobs } from '../../../src/adapters/files/stored-blobs.js';
import { withTempDir } from '../../support/files/temp-home.js';

const SLUG = 'impl-alice-demo-1-abcde';
const KIB = 1024;

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

  const rootOf = (home: string): string => join(home, 'state', SLUG);
  const here = async (home: string): Promise<string[]> => (await readdir(rootOf(home))).sort();
  const onlyOf = async (home: string): Promise<KeptRun> => {
    const [run, more] = await keptRuns(home);
    assert.ok(run !== undefined && more === undefined);
    return run;
  };
  /** As a run of an issue has them from its first turn on. */
  async function filesOfARun(home: string): Promise<void> {
    const root = rootOf(home);
    for (const directory of ['turns/1', 'transcript', 'proposals'])
      await mkdir(join(root, directory), { recursive: true });
    for (const name of ['image.json', 'image-build.log', 'changes.json', 'proposals/1', 'metadata.json'])
      await writeFile(join(root, name), '{}');
  }

  it('goes whole, with what a crash has left unfinished, but for commits that nobody has', () =>
    withTempDir(async (home) => {
      const root = rootOf(home);
      await mkdir(join(root, 'workspace.making'), { recursive: true });
      await writeFile(join(root, '.writing-metadata.json-0123'), '{');
      const bundles = ['unpublished-1.bundle', 'unpublished-12.bundle', 'unpublished.bundle'];
      for (const name of bundles) await writeFile(join(root, name), 'commits');
      await writeFile(join(root, 'unpublished-x.bundle'), '');
      await filesOfARun(home);
      assert.equal(await forgetKeptRun(home, SLUG), true);
      assert.deepEqual(await here(home), ['metadata.json', ...bundles]);
      for (const name of bundles.slice(1)) await rename(join(root, name), join(home, 'kept'));
      await forgetKeptRun(home, SLUG);
      assert.deepEqual(await here(home), ['metadata.json', 'unpublished-1.bundle']);
      await rename(join(root, 'unpublished-1.bundle'), join(home, 'kept'));
      await forgetKeptRun(home, SLUG);
      assert.ok(!existsSync(root));
      await filesOfARun(home);
      await forgetKeptRun(home, SLUG);
      assert.ok(!existsSync(root));
      assert.equal(await forgetKeptRun(home, SLUG), true, 'what is gone is fine');
    }));

  it('leaves the commits of a run without an issue, with whose they are', () =>
    withTempDir(async (home) => {
      await filesOfARun(home);
      await writeFile(join(rootOf(home), 'work.bundle'), 'commits');
      await forgetKeptRun(home, SLUG);
      assert.deepEqual(await here(home), ['metadata.json', 'work.bundle']);
    }));

  it('is measured: what would go, and what would stay', () =>
    withTempDir(async (home) => {
      await filesOfARun(home);
      const root = rootOf(home);
      await writeFile(join(root, 'image-build.log'), Buffer.alloc(300 * KIB, 1));
      const before = await onlyOf(home);
      assert.ok(before.rest >= 300 * KIB && before.rest < 400 * KIB, String(before.rest));
      assert.equal(before.stays, 0);
      await writeFile(join(root, 'work.bundle'), Buffer.alloc(100 * KIB, 1));
      const { rest, stays } = await onlyOf(home);
      assert.ok(rest >= 300 * KIB && rest < 400 * KIB, String(rest));
      assert.ok(stays >= 100 * KIB && stays < 200 * KIB, String(stays));
      await forgetKeptRun(home, SLUG);
      const after = await onlyOf(home);
      assert.deepEqual([after.turns, after.transcript, after.rest], [0, 0, 0], 'nothing more would go');
      assert.equal(after.stays, stays);
    }));

  for (const name of ['workspace', 'turn', 'config', 'queue', 'bundle'])
    it(`is left alone, and not looked into, while its ${name} is there`, () =>
      withTempDir(async (home) => {
        await filesOfARun(home);
        const before = await onlyOf(home);
        await mkdir(join(rootOf(home), name));
        await writeFile(join(rootOf(home), name, 'large'), Buffer.alloc(300 * KIB, 1));
        assert.deepEqual(await onlyOf(home), { ...before, unfinished: true });
        const all = await here(home);
        assert.equal(await forgetKeptRun(home, SLUG), false);
        assert.deepEqual(await here(home), all);
      }));

  it('follows no link, neither to measure nor to remove', () =>
    withTempDir(async (home) => {
      const foreign = join(home, 'foreign');
      await mkdir(foreign);
      await writeFile(join(foreign, 'large'), Buffer.alloc(300 * KIB, 1));
      await filesOfARun(home);
      const links = ['turns/1/link', 'proposals/link', 'link', 'archive'];
      for (const link of links) await symlink(foreign, join(rootOf(home), link));
      const { turns, rest } = await onlyOf(home);
      assert.ok(turns + rest < 300 * KIB, String([turns, rest]));
      await forgetKeptRun(home, SLUG);
      assert.ok(!existsSync(rootOf(home)));
      await symlink(foreign, rootOf(home));
      await forgetKeptRun(home, SLUG);
      assert.deepEqual(await readdir(foreign), ['large']);
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
