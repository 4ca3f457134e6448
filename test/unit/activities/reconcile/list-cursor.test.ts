import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  afterPage,
  askSince,
  freshCursor,
  OVERLAP_MS,
  resumed,
} from '../../../../src/activities/reconcile/list-cursor.js';
import type { ListCursor } from '../../../../src/domain/upkeep/reconcile.js';

const T = 1_700_000_000_000;

function page(times: readonly number[], total: number | null, at: number | null = T) {
  return { items: times.map((updatedAt) => ({ updatedAt })), size: times.length, total, at };
}

describe('the cursor of a list of changes', () => {
  it('asks for everything open at first, and then for what changed since, with an overlap', () => {
    assert.equal(askSince(freshCursor(null)), null);
    assert.equal(askSince(freshCursor(T)), T - OVERLAP_MS);
  });

  it('begins anew where the clock of the forge stood at the first page, not at the last', () => {
    const first = afterPage(freshCursor(T - 60_000), page([T - 5_000], 2, T));
    assert.equal(first.through, false);
    const second = afterPage(first.cursor, page([T - 1_000], 2, T + 30_000));
    assert.deepEqual(second, { cursor: freshCursor(T), through: true });
  });

  it('goes by the latest change where the forge tells no time, and stays where there is neither', () => {
    assert.equal(afterPage(freshCursor(null), page([T + 7, T], 2, null)).cursor.since, T + 7);
    assert.equal(afterPage(freshCursor(T), page([], 0, null)).cursor.since, T);
    assert.equal(afterPage(freshCursor(null), page([], 0, null)).cursor.since, null);
  });

  it('is blinded neither by a date of the future that was imported, nor by a clock that was ahead', () => {
    const YEAR = 366 * 24 * 3_600_000;
    const first = afterPage(freshCursor(T - 60_000), page([T + 10 * YEAR], 2, T));
    const second = afterPage(first.cursor, page([T + YEAR], 2, T + 1_000));
    assert.deepEqual(second, { cursor: freshCursor(T), through: true });
    assert.equal(afterPage(freshCursor(T + YEAR), page([], 0, T)).cursor.since, T);
  });

  it('goes on after a page, and reads one again when another pass goes on with the list', () => {
    let cursor: ListCursor = freshCursor(null);
    for (let read = 0; read < 3; read += 1) cursor = afterPage(cursor, page([1, 2], 9)).cursor;
    assert.equal(cursor.page, 4);
    assert.equal(resumed(cursor).page, 3);
    assert.equal(resumed(freshCursor(T)).page, 1);
    assert.equal(
      resumed({ ...freshCursor(T), page: 2 }).page,
      2,
      'else a pass with one page would not get on',
    );
  });

  it('is through exactly when as many entries were read as the forge announced, or none came', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 300 }),
        fc.integer({ min: 1, max: 50 }),
        fc.boolean(),
        (total, size, told) => {
          let cursor = freshCursor(T);
          let read = 0;
          for (let pages = 0; ; pages += 1) {
            assert.ok(pages <= Math.ceil(total / size) + 1, 'too many pages');
            const length = Math.min(size, total - read);
            read += length;
            const after = afterPage(cursor, page(Array<number>(length).fill(T), told ? total : null));
            cursor = after.cursor;
            if (after.through) break;
          }
          assert.equal(read, total);
        },
      ),
    );
  });
});
