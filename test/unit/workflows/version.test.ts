import assert from 'node:assert/strict';
import { migrate, STATE_VERSION } from '../../../src/workflows/version.js';

describe('state of another version', () => {
  const steps = {
    1: (input: object) => ({ ...input, one: true }),
    2: (input: object) => ({ ...input, two: 'one' in input }),
  };

  it('is brought up to this one a step at a time', () => {
    assert.deepEqual(migrate({ v: 1 }, 3, steps), { v: 3, one: true, two: true });
    assert.deepEqual(migrate({ v: 2 }, 3, steps), { v: 3, two: false });
    assert.deepEqual(migrate({ v: 3 }, 3, steps), { v: 3 });
  });

  it('is refused when it is later, or when a step is missing', () => {
    assert.throws(() => migrate({ v: 4 }, 3, steps), /of version 4, and this one reads up to 3/);
    assert.throws(() => migrate({ v: 3 }, 4, steps), /nothing makes state of version 3 into 4/);
  });

  it('has a step from each version before this one', () => {
    for (let v = 1; v <= STATE_VERSION; v += 1) assert.equal(migrate({ v }).v, STATE_VERSION);
  });
});
