import assert from 'node:assert/strict';
import { Waking } from '../../../../src/activities/base/waking.js';

describe('since when check-ins can be heard', () => {
  const BEGAN = 1_000_000;
  let wall: number;
  let awake = 10;
  const pass = (ms: number, asleepMs = 0): void => {
    awake += ms;
    wall += ms + asleepMs;
  };
  let waking: Waking;
  beforeEach(() => {
    wall = BEGAN;
    waking = new Waking({ now: () => wall, steady: () => awake });
  });

  it('is since the process began, until the machine is first seen to have slept', () => {
    pass(3_600_000);
    assert.equal(waking.wokeAt(), BEGAN);
    pass(500, 8 * 3_600_000);
    const woke = waking.wokeAt();
    assert.equal(woke, wall);
    pass(600_000);
    assert.equal(waking.wokeAt(), woke);
  });

  it('stays when the clock is set back, or a little forward', () => {
    pass(1_000, -3_600_000);
    assert.equal(waking.wokeAt(), BEGAN);
    pass(1_000, 2_000);
    assert.equal(waking.wokeAt(), BEGAN);
  });
});
