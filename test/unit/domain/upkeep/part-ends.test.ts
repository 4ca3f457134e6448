import assert from 'node:assert/strict';
import {
  MOST_RESTARTS,
  PART_ENDS_KEPT,
  pauseBeforeRestart,
  rememberEnd,
  RESTARTS_WITHIN_MS,
  type PartEnd,
} from '../../../../src/domain/upkeep/part-ends.js';

describe('a part of `up` that ends by itself', () => {
  const NOW = 1_000_000_000;

  it('is started again after pauses that double, and then no more', () => {
    const ends: number[] = [];
    const pauses = Array.from({ length: MOST_RESTARTS + 1 }, (_, at) => {
      ends.push(NOW + at);
      return pauseBeforeRestart(ends, NOW + at);
    });
    assert.deepEqual(pauses, [250, 500, 1_000, 2_000, 4_000, null]);
  });

  it('is started again for ever when it ends seldom', () => {
    const ends = Array.from({ length: 100 }, (_, at) => NOW + at * RESTARTS_WITHIN_MS);
    assert.equal(pauseBeforeRestart(ends, ends.at(-1) ?? 0), 250);
  });

  it('counts what is younger than ten minutes', () => {
    const ends = [0, 1, 2, 3, 4].map((at) => NOW + at);
    assert.equal(
      pauseBeforeRestart([...ends, NOW + RESTARTS_WITHIN_MS - 1], NOW + RESTARTS_WITHIN_MS - 1),
      null,
    );
    assert.equal(pauseBeforeRestart([...ends, NOW + RESTARTS_WITHIN_MS], NOW + RESTARTS_WITHIN_MS), 4_000);
  });

  it('is remembered with those before it, not without end', () => {
    const end = (at: number): PartEnd => ({ part: 'worker', at, reason: 'exit code 1', again: true });
    let known: readonly PartEnd[] = [];
    for (let at = 1; at <= PART_ENDS_KEPT + 5; at += 1) known = rememberEnd(known, end(at));
    assert.deepEqual([known.length, known[0]?.at, known.at(-1)?.at], [PART_ENDS_KEPT, 6, PART_ENDS_KEPT + 5]);
  });
});
