import assert from 'node:assert/strict';
import type { LogLine } from '../../../../../src/domain/bottle/bottle-runtime.js';
import { GapSearch } from '../../../../../src/adapters/docker/logs/log-gap.js';

const LARGE = 'x'.repeat(2 * 1024 * 1024);

describe('the search for lines that a log has and its follower was not given', () => {
  function search(given: readonly number[], found: readonly number[], text: string): GapSearch {
    const gap = new GapSearch();
    for (const second of given) gap.given(at(second, text));
    gap.isOfAll();
    for (const second of found) gap.found(at(second, text));
    return gap;
  }

  it('reads all of the log only when the follower was given a file or more', () => {
    assert.equal(search([1], [], LARGE).isOfAll(), false);
    assert.equal(search([1, 2], [], LARGE).isOfAll(), true);
  });

  it('finds none when both have the same lines, in whatever order the log has them', () => {
    assert.equal(search([1, 2, 3, 4, 5], [2, 1, 3, 5, 4], LARGE).mayBeThere, false);
  });

  it('finds none when the log goes on where the follower ended', () => {
    assert.equal(search([1, 2, 3], [3, 4, 5], 'x').mayBeThere, false);
    assert.equal(search([], [1, 2], 'x').mayBeThere, false);
    assert.equal(search([], [], 'x').mayBeThere, false);
  });

  it('finds that lines in the middle were skipped', () => {
    assert.equal(search([1, 2, 3, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8], LARGE).mayBeThere, true);
  });

  it('cannot tell once the first lines are gone, or all', () => {
    assert.equal(search([1, 2, 3, 7, 8], [7, 8], LARGE).mayBeThere, true);
    assert.equal(search([1, 2, 3, 7, 8], [], LARGE).mayBeThere, true);
  });

  it('cannot tell when the line is gone that the follower ended with', () => {
    assert.equal(search([1, 2, 3], [5, 6], 'x').mayBeThere, true);
  });

  it('cannot tell what was before a log as large as the engine keeps it when the follower was given nothing', () => {
    assert.equal(search([], [1, 2, 3, 4, 5, 6, 7, 8], LARGE).mayBeThere, true);
  });
});

function at(second: number, text: string): LogLine {
  return { at: `2026-11-22T08:00:0${String(second)}.000000000Z`, stream: 'stdout', text };
}
