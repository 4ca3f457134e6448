import { ForgeHttpError } from '../../domain/base/errors.js';
import { formatBytes } from '../../domain/base/format-bytes.js';
import { asEntries, asObject, integerOf } from './decode.js';
import type { JsonObject } from './decode.js';
import type { GiteaClient, GiteaRequest, GiteaResponse } from './gitea-client.js';
import { ResponseTooLargeError } from './http/http-transport.js';

/** Gitea's default upper limit; a forge set to less gives shorter pages. */
export const PAGE_SIZE = 50;
/** Less than any forge is set to: which items are on such a page is certain. */
const SMALL_PAGE_SIZE = 10;
const MAX_ITEMS = 5_000;
/** Of all pages. A list that ignores paging comes twice, and each time may be as large as an answer may be. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Where a forge filters pages, so many empty ones in a row are the end. */
const QUIET_PAGES = 2;

/** `null`: an entry that the forge can't show. */
type ItemsOf = (answer: unknown) => readonly (JsonObject | null)[];

export interface PagingOptions {
  /** The list in an answer; by default the answer itself. Its items have a unique `id`. */
  readonly itemsOf?: ItemsOf;
  readonly query?: Readonly<Record<string, string | number>>;
  /** The forge filters a page after it has cut it: one in the middle may be empty, and `X-Total-Count` is the page's own. */
  readonly isFiltered?: boolean;
  /** How many entries it takes out so, as far as that can be told from those that it leaves. */
  readonly countHidden?: (items: readonly JsonObject[]) => Promise<number>;
}

/**
 * All items of a list, page after page; where only empty pages tell the end, a hundred rows of them beyond those that
 * `countHidden` tells, that hundred is asked for beside the page that may be the last. A short page is no sign of the end
 * (the forge may be set to smaller pages, or filter them); a page with nothing new is, since some lists ignore paging and
 * repeat themselves. Where a page is larger than an answer may be, smaller ones are asked for. Errors: `ForgeHttpError` 413
 * beyond 5,000 items or 32 MiB, for a list cut silently would hide its newest entries.
 */
export async function allPages(
  client: GiteaClient,
  path: GiteaRequest['path'],
  options: PagingOptions = {},
): Promise<JsonObject[]> {
  const all = await unlessTooLarge(readAll(client, path, options, PAGE_SIZE));
  return all ?? readAll(client, path, options, SMALL_PAGE_SIZE);
}

/** A page as it was sent. `size` counts what was left out, too. */
export interface Page extends Pick<GiteaResponse, 'total' | 'at'> {
  readonly items: readonly JsonObject[];
  readonly size: number;
}

/**
 * A page, or where that is larger than an answer may be its items one by one, without those that are so by themselves.
 * @param lengthOf which items are on a page, where the forge may be set to less than `limit`
 */
export async function readPage(
  ask: (page: number, limit: number) => Promise<GiteaResponse>,
  itemsOf: ItemsOf,
  page: number,
  limit: number,
  lengthOf: () => Promise<number> = () => Promise.resolve(limit),
): Promise<Page> {
  const whole = await unlessTooLarge(ask(page, limit));
  if (whole !== undefined) return pageOf(whole, itemsOf);
  // A list that ignores paging is too large there, too.
  const { total, at } = await ask(MAX_ITEMS + 1, 1);
  const length = await lengthOf();
  const items: JsonObject[] = [];
  let size = 0;
  for (let one = (page - 1) * length + 1; one <= page * length; one += 1) {
    const answer = await unlessTooLarge(ask(one, 1));
    const found = answer && pageOf(answer, itemsOf);
    items.push(...(found?.items ?? []));
    size += found?.size ?? 1;
  }
  return { items, size, total, at };
}

/** Of a page of our size on this forge. */
export async function pageLength(client: GiteaClient): Promise<number> {
  const settings = await client.json({ method: 'GET', path: ['settings', 'api'] });
  return Math.min(PAGE_SIZE, integerOf(asObject(settings, 'settings'), 'max_response_items'));
}

function pageOf(response: GiteaResponse, itemsOf: ItemsOf): Page {
  const entries = itemsOf(response.json());
  const items = entries.filter((entry) => entry !== null);
  return { items, size: entries.length, total: response.total, at: response.at };
}

/** `undefined` where one answer is larger than it may be; that the list has too many pages is thrown. */
export async function unlessTooLarge<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ForgeHttpError && error.cause instanceof ResponseTooLargeError) return undefined;
    throw error;
  }
}

async function readAll(
  client: GiteaClient,
  path: GiteaRequest['path'],
  options: PagingOptions,
  limit: number,
): Promise<JsonObject[]> {
  const { itemsOf = (answer) => asEntries(answer, String(path.at(-1))), query = {}, isFiltered } = options;
  let bytes = 0;
  const request = async (page: number, size: number): Promise<GiteaResponse> => {
    const response = await client.request({ method: 'GET', path, query: { ...query, page, limit: size } });
    bytes += response.bytes;
    if (bytes > MAX_BYTES) throw tooLong(path, formatBytes(MAX_BYTES));
    return response;
  };
  const pages: Pages = {
    limit,
    last: MAX_ITEMS / limit,
    read: (page) =>
      limit === PAGE_SIZE
        ? request(page, limit).then((response) => pageOf(response, itemsOf))
        : readPage(request, itemsOf, page, limit),
  };
  const items =
    isFiltered === true ? await readFiltered(client, pages, options.countHidden) : await readWhole(pages);
  if (items !== undefined) return [...items.values()];
  throw tooLong(path, `${String(pages.last)} pages`);
}

function tooLong(path: GiteaRequest['path'], most: string): ForgeHttpError {
  const where = `/${path.join('/')}`;
  return new ForgeHttpError(413, 'GET', where, `GET ${where}: more than ${most}, too much to read`);
}

interface Pages {
  readonly limit: number;
  /** The last that is asked for. */
  readonly last: number;
  read(page: number): Promise<Page>;
}

/** By their ids. */
type Items = Map<number, JsonObject>;

/** Whether the list goes on: a page with nothing new is its end, unless the forge can show none of what is on it. */
function addTo(items: Items, { items: found }: Page): boolean {
  const before = items.size;
  for (const item of found) items.set(integerOf(item, 'id'), item);
  return found.length === 0 || items.size > before;
}

/** Of a list whose empty page is its end; `undefined` when there is more than is read. */
async function readWhole(pages: Pages): Promise<Items | undefined> {
  const items: Items = new Map();
  for (let page = 1; page <= pages.last; page += 1) {
    const found = await pages.read(page);
    const goesOn = addTo(items, found) && found.size > 0;
    if (!goesOn || (found.total !== undefined && items.size >= found.total)) return items;
  }
  return undefined;
}

/** Of a list whose pages are filtered after they have been cut; `undefined` when there is more than is read. */
async function readFiltered(
  client: GiteaClient,
  pages: Pages,
  countHidden: PagingOptions['countHidden'] = () => Promise.resolve(0),
): Promise<Items | undefined> {
  const asked = new Map<number, Promise<Page>>();
  const ask = (page: number): Promise<Page> => {
    const answer = asked.get(page) ?? pages.read(page);
    asked.set(page, answer);
    return answer;
  };
  // As many rows that are left out, however short the pages are.
  const quiet = (QUIET_PAGES * PAGE_SIZE) / pages.limit;
  const items: Items = new Map();
  let filled = 0;
  let sent = 0;
  let hidden: { readonly rows: number; readonly aPage: number } | undefined;
  for (let page = 1; page <= pages.last; page += 1) {
    // The first is taken to have something. Another page may be first to fail.
    for (let next = page; next <= Math.min(Math.max(filled, 1) + quiet, pages.last); next += 1)
      ask(next).catch(() => undefined);
    const found = await ask(page);
    if (!addTo(items, found)) return items;
    if (found.size > 0) filled = page;
    sent += found.size;
    if (page - filled < quiet) continue;
    if (hidden === undefined) {
      const rows = await countHidden([...items.values()]);
      hidden = { rows, aPage: rows > 0 ? Math.min(pages.limit, await pageLength(client)) : pages.limit };
    }
    // Those that are left out may stand before the last one.
    if (page - Math.ceil((sent + hidden.rows) / hidden.aPage) >= quiet) return items;
  }
  return undefined;
}
