import assert from 'node:assert/strict';
import { excessOf, isWithin, limitOf } from '../../../../src/activities/ports/disk-quota.js';

const QUOTA = { bytes: 1_000, inodes: 200 };

describe('disk quota', () => {
  it('is the limit of a run that holds no more than that', () => {
    assert.deepEqual(limitOf({ bytes: 1_000, inodes: 200 }, QUOTA), QUOTA);
    assert.deepEqual(limitOf({ bytes: 0, inodes: 0 }, QUOTA), QUOTA);
  });

  it('gives a run that is over it a twentieth to tidy up with, of what it is over in', () => {
    assert.deepEqual(limitOf({ bytes: 1_100, inodes: 10 }, QUOTA), { bytes: 1_150, inodes: 200 });
    assert.deepEqual(limitOf({ bytes: 10, inodes: 221 }, QUOTA), { bytes: 1_000, inodes: 231 });
  });

  it('may be used up, and no more', () => {
    assert.ok(isWithin({ bytes: 1_000, inodes: 200 }, QUOTA));
    assert.ok(!isWithin({ bytes: 1_001, inodes: 200 }, QUOTA));
    assert.ok(!isWithin({ bytes: 1_000, inodes: 201 }, QUOTA));
    assert.equal(excessOf({ bytes: 1_000, inodes: 200 }, QUOTA), null);
    assert.match(String(excessOf({ bytes: 1_001, inodes: 0 }, QUOTA)), /on disk/);
    assert.match(
      String(excessOf({ bytes: 0, inodes: 201 }, QUOTA)),
      /^the run held 201 files .* may hold 200$/,
    );
  });
});
