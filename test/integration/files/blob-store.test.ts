import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LocalBlobStore } from '../../../src/adapters/files/blob-store.js';
import { withTempDir } from '../../support/files/temp-home.js';

const HELLO = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';

describe('the blob store', () => {
  it('names content by its SHA-256 and gives it to the next instance', () =>
    withTempDir(async (home) => {
      const blobs = new LocalBlobStore(home);
      assert.equal(await blobs.put('hello'), HELLO);
      assert.equal(await blobs.put(new TextEncoder().encode('hello')), HELLO);
      assert.equal(await new LocalBlobStore(home).getText(HELLO), 'hello');
      assert.equal(await blobs.getText(await blobs.put('')), '');
      assert.deepEqual(await readdir(join(home, 'blobs', HELLO.slice(0, 2))), [HELLO.slice(2)]);
    }));

  it('takes the same content from many at once', () =>
    withTempDir(async (home) => {
      const refs = await Promise.all(Array.from({ length: 20 }, () => new LocalBlobStore(home).put('hello')));
      assert.deepEqual(new Set(refs), new Set([HELLO]));
      assert.deepEqual(await readdir(join(home, 'blobs', HELLO.slice(0, 2))), [HELLO.slice(2)]);
    }));

  it('says clearly what is missing, damaged, or no reference', () =>
    withTempDir(async (home) => {
      const blobs = new LocalBlobStore(home);
      await assert.rejects(blobs.getText(HELLO), (error: Error) =>
        error.message.includes(`there is no blob ${HELLO}`),
      );
      await mkdir(join(home, 'blobs', HELLO.slice(0, 2)), { recursive: true });
      await writeFile(join(home, 'blobs', HELLO.slice(0, 2), HELLO.slice(2)), 'hell');
      await assert.rejects(blobs.getText(HELLO), /is not what it was/);
      await blobs.put('hello');
      assert.equal(await blobs.getText(HELLO), 'hello');
      for (const bad of ['', '../../secret', HELLO.toUpperCase(), `${HELLO}\n`])
        await assert.rejects(blobs.getText(bad), /not a blob's reference/);
    }));
});
