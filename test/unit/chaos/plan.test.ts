import assert from 'node:assert/strict';
import { makePlan, planLines, strikesFor, strikingMs, TARGETS, type Plan } from '../../support/chaos/plan.js';

const GAP_MS = 15_000;

function plan(seed: number, lives = 40): Plan {
  return makePlan({ seed, lives, strikes: strikesFor(lives), gapMs: GAP_MS });
}

describe('the plan of the kill harness', () => {
  it('is the same for the same seed', () => {
    assert.deepEqual(plan(7), plan(7));
    assert.deepEqual(planLines(plan(7)), planLines(plan(7)));
  });

  it('is another one for another seed', () => {
    const [one, other] = [plan(7), plan(8)];
    assert.notDeepEqual(one.strikePlan, other.strikePlan);
    assert.notDeepEqual(one.lifePlans, other.lifePlans);
    assert.notDeepEqual(one.deliveries, other.deliveries);
  });

  it('has its first strikes and deliveries whatever the number of lives', () => {
    const [few, many] = [plan(7, 3), plan(7, 40)];
    assert.deepEqual(few.strikePlan, many.strikePlan.slice(0, few.strikePlan.length));
    assert.deepEqual(few.deliveries, many.deliveries);
  });

  it('strikes every target in both ways, 100 times for 40 lives, in about half an hour', () => {
    for (const seed of [1, 2, 3]) {
      const { strikePlan } = plan(seed);
      assert.equal(strikePlan.length, 100);
      const seen = new Set(strikePlan.map(({ act, target }) => `${act} ${target}`));
      for (const target of TARGETS)
        assert.ok(
          [...seen].some((one) => one.endsWith(target)),
          target,
        );
      assert.ok(seen.has('kill worker') && seen.has('stop worker'));
      const mean = strikingMs(plan(seed)) / strikePlan.length;
      assert.ok(Math.abs(mean - GAP_MS) < 2_000, String(mean));
    }
  });

  it('begins each life while there are strikes left for it, the first at once', () => {
    const one = plan(7);
    assert.equal(one.lifePlans[0]?.startMs, 0);
    assert.deepEqual(
      one.lifePlans.map(({ life }) => life),
      Array.from({ length: 40 }, (_none, at) => at + 1),
    );
    for (const { startMs, comments } of one.lifePlans) {
      assert.ok(startMs < strikingMs(one));
      assert.ok(comments.length >= 1 && comments.length <= 3);
    }
  });

  it('hands some deliveries on late, and some more than once', () => {
    const { deliveries } = plan(7);
    assert.ok(deliveries.some((delays) => delays.length === 1 && delays[0] === 0));
    assert.ok(deliveries.some((delays) => delays.length > 1));
    assert.ok(deliveries.some(([first = 0]) => first > 1_000));
  });
});
