import assert from 'node:assert/strict';
import { Waking } from '../../../../src/activities/base/waking.js';

describe('a machine that slept', () => {
  let wall = 1_000_000;
  let awake = 10;
  const pass = (ms: number, asleepMs = 0): void => {
    awake += ms;
    wall += ms + asleepMs;
  };
  let waking: Waking;
  beforeEach(() => {
    waking = new Waking(
      () => wall,
      () => awake,
    );
  });

  it('woke when that is first seen, and not again while it stays awake', () => {
    pass(3_600_000);
    assert.equal(waking.wokeAt(), 0);
    pass(500, 8 * 3_600_000);
    const woke = waking.wokeAt();
    assert.equal(woke, wall);
    pass(600_000);
    assert.equal(waking.wokeAt(), woke);
  });

  it('did not for a clock that is set back, or a little forward', () => {
    pass(1_000, -3_600_000);
    assert.equal(waking.wokeAt(), 0);
    pass(1_000, 2_000);
    assert.equal(waking.wokeAt(), 0);
  });
});
