import assert from 'node:assert/strict';
import type { LogLine } from '../../../../src/domain/bottle-runtime.js';
import { GapSearch } from '../../../../src/adapters/docker/log-gap.js';

const LINE = 'x'.repeat(1024 * 1024);

describe('the search for lines that a log has and its follower was not given', () => {
  function search(given: readonly number[], found: readonly number[], text = LINE): GapSearch {
    const gap = new GapSearch();
    for (const second of given) gap.given(at(second, text));
    for (const second of found) gap.found(at(second, text));
    return gap;
  }

  it('is not worth it for less than a file', () => {
    assert.equal(search([1, 2, 3], []).isPossible, false);
    assert.equal(search([1, 2, 3, 4], []).isPossible, true);
  });

  it('finds none when both have the same lines, in whatever order the log has them', () => {
    assert.equal(search([1, 2, 3, 4, 5], [2, 1, 3, 5, 4]).mayBeThere, false);
  });

  it('finds that lines in the middle were skipped', () => {
    assert.equal(search([1, 2, 3, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8]).mayBeThere, true);
  });

  it('cannot tell once the first lines are gone, or all', () => {
    assert.equal(search([1, 2, 3, 7, 8], [7, 8]).mayBeThere, true);
    assert.equal(search([1, 2, 3, 7, 8], []).mayBeThere, true);
  });
});

function at(second: number, text: string): LogLine {
  return { at: `2026-11-22T08:00:0${String(second)}.000000000Z`, stream: 'stdout', text };
}
