import assert from 'node:assert/strict';
import type { HomeUsage, RunUsage } from '../../../../src/domain/upkeep/home-usage.js';
import { planGc } from '../../../../src/domain/upkeep/gc.js';

const NOW = 200 * 86_400_000;
const KEEP = 90 * 86_400_000;
const OLD = NOW - KEEP;

const EMPTY: HomeUsage = {
  runs: [],
  mirrors: [],
  images: [],
  blobs: [],
  databases: 5,
  logs: 5,
  scratch: 0,
};

function plan(usage: Partial<HomeUsage>): readonly string[] {
  return planGc({ ...EMPTY, ...usage }, { now: NOW, keepMs: KEEP }).map(({ kind }) => kind);
}

function run(change: Partial<RunUsage>): RunUsage {
  return {
    slug: 'impl-alice-demo-12-abcde',
    state: 'ended',
    endedAt: OLD,
    workspace: 0,
    home: 0,
    transcript: 1,
    turns: 1,
    rest: 1,
    stays: 1,
    unfinished: false,
    ...change,
  };
}

describe('what gc removes', () => {
  it('takes the turns of a run that ended long ago, of no other', () => {
    assert.deepEqual(plan({ runs: [run({})] }), ['run']);
    const kept: Partial<RunUsage>[] = [
      { endedAt: OLD + 1 },
      { endedAt: null },
      { state: 'alive' },
      { state: 'unknown' },
      { unfinished: true },
      { transcript: 0, turns: 0, rest: 0 },
    ];
    for (const change of kept) assert.deepEqual(plan({ runs: [run(change)] }), [], JSON.stringify(change));
  });

  it('takes what else lies beside them, and counts all that goes but not what stays', () => {
    const bytesOf = (change: Partial<RunUsage>): readonly number[] =>
      planGc({ ...EMPTY, runs: [run(change)] }, { now: NOW, keepMs: KEEP }).map(({ bytes }) => bytes);
    assert.deepEqual(bytesOf({ transcript: 2, turns: 3, rest: 4, stays: 100 }), [9]);
    assert.deepEqual(bytesOf({ transcript: 0, turns: 0, rest: 4 }), [4]);
  });

  it('takes mirrors, images and blobs that are not in use and were not for that long', () => {
    const mirror = { directory: '/m', inUse: false, usedAt: OLD, bytes: 1 };
    const image = { reference: 'bot-bottle/bottle:x', inUse: false, createdAt: OLD, bytes: 1 };
    const blob = { ref: 'a', referenced: false, storedAt: OLD, bytes: 1 };
    assert.deepEqual(plan({ mirrors: [mirror], images: [image], blobs: [blob], scratch: 1 }), [
      'mirror',
      'image',
      'blob',
    ]);
    assert.deepEqual(
      plan({
        mirrors: [
          { ...mirror, inUse: true },
          { ...mirror, usedAt: OLD + 1 },
        ],
        images: [
          { ...image, inUse: true },
          { ...image, createdAt: OLD + 1 },
        ],
        blobs: [
          { ...blob, referenced: true },
          { ...blob, storedAt: OLD + 1 },
        ],
      }),
      [],
    );
  });
});
