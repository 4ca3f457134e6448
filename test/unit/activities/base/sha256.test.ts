import assert from 'node:assert/strict';
import { sha256, sha256OfLarge } from '../../../../src/activities/base/sha256.js';

describe('the hash of many bytes', () => {
  it('is that of all of them, and lets others have a turn meanwhile', async () => {
    const bytes = new Uint8Array(9 * 1024 * 1024).map((_, at) => at % 251);
    let turns = 0;
    const others = (): void => {
      turns += 1;
      waiting = setImmediate(others);
    };
    let waiting = setImmediate(others);
    const hash = await sha256OfLarge(bytes);
    clearImmediate(waiting);
    assert.equal(hash, sha256(bytes));
    assert.ok(turns > 0);
  });
});
