import assert from 'node:assert/strict';
import fc from 'fast-check';
import { filesOfTar, tarOfFiles } from '../../../../src/activities/transcript/tar.js';

const SUM_AT = 148;
const FILES = [
  { name: 'a', content: Buffer.from('one') },
  { name: 'b/c', content: Buffer.alloc(513, 7) },
];

describe('our tar files', () => {
  it('are read as they were written', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2_000, size: 'max' }), async (content) => {
        const [file] = filesOfTar(await tarOfFiles([{ name: 'x', content }])) ?? [];
        assert.deepEqual(file?.content, Buffer.from(content));
      }),
    );
    assert.deepEqual(filesOfTar(await tarOfFiles(FILES)), FILES);
  });

  it('are not read when a bit of a header is wrong, its sum included', async () => {
    const tar = await tarOfFiles(FILES);
    for (const at of [0, 100, 130, SUM_AT, 257, 400]) {
      const broken = Buffer.from(tar);
      broken[at] = (broken[at] ?? 0) ^ 1;
      assert.equal(filesOfTar(broken), undefined, `byte ${String(at)}`);
    }
  });

  it('are not read when they are cut', async () => {
    const tar = await tarOfFiles(FILES);
    for (const length of [0, 511, 512, 1_024, tar.length - 1_024])
      assert.equal(filesOfTar(tar.subarray(0, length)), undefined, String(length));
  });
});
