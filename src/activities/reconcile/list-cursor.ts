import type { FeedPage } from '../../domain/forge/forge-feed.js';
import type { ListCursor } from '../../domain/upkeep/reconcile.js';

/** A change may become visible this much later than the time it carries. */
export const OVERLAP_MS = 10_000;

/** @param since `null` for a list of everything open */
export function freshCursor(since: number | null): ListCursor {
  return { since, page: 1, pageSize: 0, upTo: null };
}

/** The time to ask for. */
export function askSince(cursor: ListCursor): number | null {
  return cursor.since === null ? null : Math.max(0, cursor.since - OVERLAP_MS);
}

/**
 * The cursor after a page was dealt with. After the last page the next pass starts at the forge's clock of the first one, or at
 * the latest change where it tells no time: an imported repository brings dates of any year. That may be earlier than
 * before, for a clock may have been wrong. A short page is not the end, for a forge may filter after it has cut a page;
 * the announced total or an empty page is.
 */
export function afterPage(
  cursor: ListCursor,
  page: FeedPage<{ readonly updatedAt: number }>,
): { readonly cursor: ListCursor; readonly through: boolean } {
  const pageSize = cursor.page === 1 ? page.size : cursor.pageSize;
  const begun = cursor.page === 1 ? page.at : cursor.upTo;
  const upTo = page.at === null ? latestOf(begun, page.items) : (begun ?? page.at);
  const read = (cursor.page - 1) * pageSize + page.size;
  const through = page.size === 0 || (page.total !== null && read >= page.total);
  if (!through) return { cursor: { ...cursor, page: cursor.page + 1, pageSize, upTo }, through };
  // Without any clock the whole list is asked for again next time.
  return { cursor: freshCursor(upTo ?? cursor.since), through };
}

function latestOf(before: number | null, items: readonly { readonly updatedAt: number }[]): number | null {
  const latest = Math.max(before ?? 0, ...items.map((item) => item.updatedAt));
  return latest === 0 ? null : latest;
}

/**
 * The cursor that a later pass goes on with: what has left the list meanwhile (closed, deleted) has moved the rest
 * forward by as much, so a page is read again.
 */
export function resumed(cursor: ListCursor): ListCursor {
  return cursor.page > 2 ? { ...cursor, page: cursor.page - 1 } : cursor;
}
