import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loopLagFile } from '../../../src/adapters/files/loop-lag-file.js';
import { partEndsFile, readPartEnds, writePartEnds } from '../../../src/adapters/files/part-ends-file.js';

describe('files of a home that are there for people', () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'bb-for-people-'));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  it('are read as they were written', async () => {
    const end = { part: 'worker', at: 1, reason: 'exit code 1', again: true };
    await writePartEnds(partEndsFile(home), [end]);
    assert.deepEqual(await readPartEnds(partEndsFile(home)), [end]);
    const lag = { at: 1, p99Ms: 2, maxMs: 3, worst: null };
    await loopLagFile(home).write(lag);
    assert.deepEqual(await loopLagFile(home).read(), lag);
  });

  for (const text of ['', '{"at":1', 'null', '{"version":2,"ends":[{}]}'])
    it(`count as none when they hold ${JSON.stringify(text)}`, async () => {
      await writeFile(partEndsFile(home), text);
      await writeFile(join(home, 'loop-lag.json'), text);
      assert.deepEqual(await readPartEnds(partEndsFile(home)), []);
      assert.equal(await loopLagFile(home).read(), undefined);
    });
});
