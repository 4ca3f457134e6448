import assert from 'node:assert/strict';
import fc from 'fast-check';
import { mostHeld, type Holder, type PastMeasure } from '../../../../src/activities/ports/holds-most.js';
import type { DiskUsage } from '../../../../src/domain/bottle/disk-usage.js';

const of = (bytes: number): DiskUsage => ({ bytes, inodes: 0 });
const holder = (slug: string, change: Partial<Holder>): Holder => ({
  ...{ slug, held: null, before: null, began: null, limit: of(10) },
  ...change,
});
const measured = (
  held: number,
  used: number,
  others: Readonly<Record<string, number | null>>,
): PastMeasure => ({
  held: of(held),
  used: of(used),
  others: new Map(Object.entries(others).map(([slug, most]) => [slug, most === null ? null : of(most)])),
});
const mostOf = (all: readonly Holder[], used: number): readonly number[] =>
  all.map((one) => mostHeld(one, all, of(used), 'bytes'));

describe('what a run may hold at most when little is free', () => {
  it('is what was measured, whatever was known before', () => {
    const one = holder('a', { held: of(3), before: measured(1, 100, {}) });
    assert.deepEqual(mostOf([one], 150), [3]);
  });

  it('is all that it is allowed where nobody has ever measured it', () => {
    assert.deepEqual(mostOf([holder('a', {})], 150), [10]);
  });

  it('has all that the disk gained, where no other run did: a tree that is slow to walk hides nothing', () => {
    const slow = holder('slow', { before: measured(1, 100, { other: 3 }) });
    const other = holder('other', { held: of(3), before: measured(3, 120, {}) });
    assert.deepEqual(mostOf([slow, other], 140), [41, 3]);
  });

  it('has nothing of what another run wrote meanwhile, however often that one was measured', () => {
    const slow = holder('slow', { before: measured(1, 100, { hog: 0 }) });
    const hog = holder('hog', { held: of(9), before: measured(8, 108, {}) });
    assert.deepEqual(mostOf([slow, hog], 109), [1, 9]);
  });

  it('has nothing of what a run wrote whose turn began meanwhile', () => {
    const slow = holder('slow', { before: measured(1, 100, {}) });
    const hog = holder('hog', { held: of(9), began: of(2) });
    assert.deepEqual(mostOf([slow, hog], 107), [1, 9]);
  });

  it('counts what another run holds as gained only where it is known what that one held then', () => {
    const slow = holder('slow', { before: measured(1, 100, { known: null }) });
    assert.deepEqual(mostOf([slow, holder('known', { held: of(6), began: of(0) })], 107), [8, 6]);
    assert.deepEqual(mostOf([slow, holder('restarted', { held: of(6) })], 107), [8, 6]);
  });

  it('is not less than before when others delete', () => {
    const slow = holder('slow', { before: measured(4, 100, { other: 50 }) });
    assert.deepEqual(mostOf([slow, holder('other', { held: of(2) })], 60), [4, 2]);
  });

  it('is never less than what it holds, while nobody deletes', () => {
    const sizes = fc.array(fc.record({ before: fc.nat(50), wrote: fc.nat(50), isLate: fc.boolean() }), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(sizes, fc.nat(50), (runs, elsewhere) => {
        const others = Object.fromEntries(runs.map(({ before }, index) => [String(index), before]));
        const all = runs.map(({ before, wrote, isLate }, index) =>
          holder(String(index), {
            held: isLate ? null : of(before + wrote),
            before: measured(before, 1_000, others),
          }),
        );
        const wrote = runs.reduce((total, run) => total + run.wrote, elsewhere);
        mostOf(all, 1_000 + wrote).forEach((most, index) => {
          const run = runs[index];
          assert.ok(run !== undefined && most >= run.before + run.wrote);
        });
      }),
    );
  });
});
