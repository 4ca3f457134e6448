import { ForgeHttpError } from '../../domain/errors.js';
import type { JsonObject } from '../forge-http/decode.js';
import type { GithubAnswer, GithubApi, GithubClient } from './github-client.js';

/** The most GitHub gives; a server set to less gives shorter pages. */
const PAGE_SIZE = 100;
const MAX_PAGES = 100;

export interface Page {
  readonly per_page: number;
  readonly page: number;
}

/**
 * All items of a list, as long as the Link header names a next page (RFC 8288). Of its URL only the page's number is
 * taken: where the request goes is not the answer's business. Errors: `ForgeHttpError` 413 beyond 100 pages, for a
 * list cut silently would hide its newest entries.
 */
export async function allPages(
  client: GithubClient,
  ask: (api: GithubApi, page: Page) => Promise<GithubAnswer>,
  itemsOf: (data: unknown) => readonly JsonObject[],
): Promise<JsonObject[]> {
  const items: JsonObject[] = [];
  let page = 1;
  for (;;) {
    const wanted = { per_page: PAGE_SIZE, page };
    const answer = await client.call((api) => ask(api, wanted));
    items.push(...itemsOf(answer.data));
    const next = nextPage(answer.headers.link ?? '');
    if (next === undefined || next <= page) return items;
    if (next > MAX_PAGES)
      throw new ForgeHttpError(
        413,
        'GET',
        '',
        `a list of more than ${String(MAX_PAGES)} pages: too many to read`,
      );
    page = next;
  }
}

/** Number of the page that a Link header calls `next`. */
export function nextPage(link: string): number | undefined {
  for (const [, target = '', parameters = ''] of link.matchAll(/<([^<>]*)>([^<]*)/g)) {
    if (!/;\s*rel="?next"?(?:[\s;,]|$)/.test(parameters)) continue;
    const page = Number(/[?&]page=(\d{1,6})(?:&|$)/.exec(target)?.[1]);
    return Number.isSafeInteger(page) ? page : undefined;
  }
  return undefined;
}
