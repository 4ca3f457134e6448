import { ForgeHttpError } from '../../domain/base/errors.js';
import { asList, integerOf } from './decode.js';
import type { JsonObject } from './decode.js';
import type { GiteaClient, GiteaRequest, GiteaResponse } from './gitea-client.js';

/** Gitea's default upper limit; a forge set to less gives shorter pages. */
const PAGE_SIZE = 50;
const MAX_PAGES = 100;

export interface PagingOptions {
  /** The list in an answer; by default the answer itself. Its items have a unique `id`. */
  readonly itemsOf?: (answer: unknown) => readonly JsonObject[];
  readonly query?: Readonly<Record<string, string | number>>;
  /** The forge filters a page after it has cut it: one in the middle may be empty, and `X-Total-Count` is the page's own. */
  readonly isFiltered?: boolean;
}

/**
 * All items of a list, page after page; where only empty pages tell the end, two in a row, they are asked for beside the
 * one that may be the last. A short page is no sign of the end (the forge may be set to smaller pages, or filter them); a
 * page with nothing new is, since some lists ignore paging and repeat themselves. Errors: `ForgeHttpError` 413 beyond 100 pages,
 * for a list cut silently would hide its newest entries.
 */
export async function allPages(
  client: GiteaClient,
  path: GiteaRequest['path'],
  options: PagingOptions = {},
): Promise<JsonObject[]> {
  const {
    itemsOf = (answer) => asList(answer, String(path.at(-1))),
    query = {},
    isFiltered = false,
  } = options;
  const asked = new Map<number, Promise<GiteaResponse>>();
  const ask = (page: number): Promise<GiteaResponse> => {
    const answer =
      asked.get(page) ?? client.request({ method: 'GET', path, query: { ...query, page, limit: PAGE_SIZE } });
    asked.set(page, answer);
    return answer;
  };
  const ahead = isFiltered ? 2 : 0;
  const items = new Map<number, JsonObject>();
  let filled = 0;
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    // The first is taken to have something. Another page may be first to fail.
    for (let next = page; next <= Math.min(Math.max(filled, 1) + ahead, MAX_PAGES); next += 1)
      ask(next).catch(() => undefined);
    const response = await ask(page);
    const found = itemsOf(response.json());
    const before = items.size;
    for (const item of found) items.set(integerOf(item, 'id'), item);
    const isRepeated = found.length > 0 && items.size === before;
    if (found.length > 0) filled = page;
    const isEnd = isFiltered
      ? page - filled >= 2
      : page > filled || (response.total !== undefined && items.size >= response.total);
    if (isRepeated || isEnd) return [...items.values()];
  }
  const where = path.join('/');
  throw new ForgeHttpError(
    413,
    'GET',
    `/${where}`,
    `GET /${where}: more than ${String(MAX_PAGES)} pages, too many to read`,
  );
}
