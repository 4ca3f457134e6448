import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { isDiskFull } from '../../../src/adapters/git/disk-room.js';

describe('the room on a disk', () => {
  it('is asked of the disk', async () => {
    assert.equal(await isDiskFull(tmpdir(), 0), false);
    assert.equal(await isDiskFull(tmpdir(), 2 ** 60), true);
  });
});
