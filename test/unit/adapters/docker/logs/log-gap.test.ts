import assert from 'node:assert/strict';
import type { LogLine } from '../../../../../src/domain/bottle/bottle-runtime.js';
import { GapSearch } from '../../../../../src/adapters/docker/logs/log-gap.js';

const LARGE = 'x'.repeat(2 * 1024 * 1024);

describe('the search for lines that a log has and its follower was not given', () => {
  const cases: readonly (readonly [string, given: number[], found: number[], isThere: boolean])[] = [
    ['finds none when both have the same lines, in whatever order', [1, 2, 3, 4, 5], [2, 1, 3, 5, 4], false],
    ['finds none where there is no line', [], [], false],
    ['finds none in a small log of which the follower was given nothing', [], [1, 2], false],
    ['finds that lines in the middle were skipped', [1, 2, 3, 7], [1, 2, 3, 4, 5, 6, 7], true],
    ['cannot tell once the first lines are gone', [1, 2, 3, 7, 8], [7, 8], true],
    ['cannot tell once all are gone', [1, 2, 3, 7, 8], [], true],
    ['cannot tell what was before a log as large as the engine keeps it', [], [1, 2, 3, 4, 5, 6, 7, 8], true],
  ];
  for (const [what, given, found, isThere] of cases)
    it(what, () => {
      const gap = new GapSearch();
      for (const second of given) gap.given(at(second));
      for (const second of found) gap.found(at(second));
      assert.equal(gap.mayBeThere, isThere);
    });
});

function at(second: number): LogLine {
  return { at: `2026-11-22T08:00:0${String(second)}.000000000Z`, stream: 'stdout', text: LARGE };
}
