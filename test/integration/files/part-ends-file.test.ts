import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { partEndsFile, readPartEnds, writePartEnds } from '../../../src/adapters/files/part-ends-file.js';

describe('how parts of `up` ended, on disk', () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'bb-part-ends-'));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  it('is read as it was written', async () => {
    const end = { part: 'worker', at: 1, reason: 'exit code 1', again: true };
    await writePartEnds(partEndsFile(home), [end]);
    assert.deepEqual(await readPartEnds(partEndsFile(home)), [end]);
  });

  for (const text of ['', '{"version":1', 'null', '{"version":2,"ends":[{}]}'])
    it(`counts as nothing where the file holds ${JSON.stringify(text)}`, async () => {
      await writeFile(partEndsFile(home), text);
      assert.deepEqual(await readPartEnds(partEndsFile(home)), []);
    });
});
