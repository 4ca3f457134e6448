import { ForgeHttpError } from '../../domain/base/errors.js';
import { formatBytes } from '../../domain/base/format-bytes.js';
import { asEntries, asObject, integerOf } from './decode.js';
import type { JsonObject } from './decode.js';
import type { GiteaClient, GiteaRequest, GiteaResponse } from './gitea-client.js';
import { ResponseTooLargeError } from './http/http-transport.js';

/** Gitea's default upper limit; a forge set to less gives shorter pages. */
export const PAGE_SIZE = 50;
const MAX_ITEMS = 5_000;
const LAST_PAGE = MAX_ITEMS / PAGE_SIZE;
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
  /**
   * For a list of which the forge filters a page after it has cut it: one in the middle may be empty, and `X-Total-Count`
   * is the page's own. How many entries it takes out so, as far as that can be told from those that it leaves.
   */
  readonly countHidden?: (items: readonly JsonObject[]) => Promise<number>;
}

/**
 * All items of a list, page after page; where only empty pages tell the end, a hundred rows of them beyond those that
 * `countHidden` tells, that hundred is asked for beside the page that may be the last. A short page is no sign of the end
 * (the forge may be set to smaller pages, or filter them); a page with nothing new is, since some lists ignore paging and
 * repeat themselves. Errors: `ForgeHttpError` 413 beyond 5,000 items or 32 MiB, for a list cut silently would hide its
 * newest entries.
 */
export async function allPages(
  client: GiteaClient,
  path: GiteaRequest['path'],
  options: PagingOptions = {},
): Promise<JsonObject[]> {
  const { itemsOf = (answer) => asEntries(answer, String(path.at(-1))), query = {}, countHidden } = options;
  let bytes = 0;
  const ask: AskForPage = async (page, limit) => {
    const response = await client.request({ method: 'GET', path, query: { ...query, page, limit } });
    bytes += response.bytes;
    if (bytes > MAX_BYTES) throw tooLong(path, formatBytes(MAX_BYTES));
    return response;
  };
  const lengthOf = (): Promise<number> => pageLength(client);
  const read: ReadPage = (page) => readPage(ask, itemsOf, page, lengthOf);
  const items = await (countHidden === undefined
    ? readWhole(read)
    : readFiltered(read, lengthOf, countHidden));
  if (items !== undefined) return [...items.values()];
  throw tooLong(path, `${String(LAST_PAGE)} pages`);
}

type AskForPage = (page: number, limit: number) => Promise<GiteaResponse>;
type ReadPage = (page: number) => Promise<Page>;

/** A page as it was sent. `size` counts what was left out, too. */
export interface Page extends Pick<GiteaResponse, 'total' | 'at'> {
  readonly items: readonly JsonObject[];
  readonly size: number;
}

/**
 * A page, or where that is larger than an answer may be its items one by one, without those that are so by themselves.
 * @param lengthOf how many items the forge has on a page of our size
 */
export async function readPage(
  ask: AskForPage,
  itemsOf: ItemsOf,
  page: number,
  lengthOf: () => Promise<number>,
): Promise<Page> {
  const whole = await unlessTooLarge(ask(page, PAGE_SIZE));
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

function tooLong(path: GiteaRequest['path'], most: string): ForgeHttpError {
  const where = `/${path.join('/')}`;
  return new ForgeHttpError(413, 'GET', where, `GET ${where}: more than ${most}, too much to read`);
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
async function readWhole(read: ReadPage): Promise<Items | undefined> {
  const items: Items = new Map();
  for (let page = 1; page <= LAST_PAGE; page += 1) {
    const found = await read(page);
    const goesOn = addTo(items, found) && found.size > 0;
    if (!goesOn || (found.total !== undefined && items.size >= found.total)) return items;
  }
  return undefined;
}

/** Of a list whose pages are filtered after they have been cut; `undefined` when there is more than is read. */
async function readFiltered(
  read: ReadPage,
  lengthOf: () => Promise<number>,
  countHidden: NonNullable<PagingOptions['countHidden']>,
): Promise<Items | undefined> {
  const asked = new Map<number, Promise<Page>>();
  const ask = (page: number): Promise<Page> => {
    const answer = asked.get(page) ?? read(page);
    asked.set(page, answer);
    return answer;
  };
  const items: Items = new Map();
  let filled = 0;
  let sent = 0;
  let hidden: { readonly rows: number; readonly aPage: number } | undefined;
  for (let page = 1; page <= LAST_PAGE; page += 1) {
    // The first is taken to have something. Another page may be first to fail.
    for (let next = page; next <= Math.min(Math.max(filled, 1) + QUIET_PAGES, LAST_PAGE); next += 1)
      ask(next).catch(() => undefined);
    const found = await ask(page);
    if (!addTo(items, found)) return items;
    if (found.size > 0) filled = page;
    sent += found.size;
    if (page - filled < QUIET_PAGES) continue;
    if (hidden === undefined) {
      const rows = await countHidden([...items.values()]);
      hidden = { rows, aPage: rows > 0 ? await lengthOf() : PAGE_SIZE };
    }
    // Those that are left out may stand before the last one.
    if (page - Math.ceil((sent + hidden.rows) / hidden.aPage) >= QUIET_PAGES) return items;
  }
  return undefined;
}
