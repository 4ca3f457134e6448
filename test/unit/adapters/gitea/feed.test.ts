import assert from 'node:assert/strict';
import { afterPage, freshCursor } from '../../../../src/activities/reconcile/list-cursor.js';
import { giteaFeed } from '../../../../src/adapters/gitea/feed.js';
import { GiteaClient } from '../../../../src/adapters/gitea/gitea-client.js';
import type { ForgeFeed } from '../../../../src/domain/forge/forge-feed.js';
import { ForgeServer } from '../../../support/gitea/forge-server.js';

const PLACE = { repoId: 7, owner: 'alice', repo: 'demo' };

describe('a feed on a forge that is set to shorter pages', () => {
  let server: ForgeServer;
  let client: GiteaClient;
  let feed: ForgeFeed;

  /** Comments 1 to `count`, at most `most` a page; those of `sizes` have a text of so many bytes. */
  async function serve(
    count: number,
    most: number,
    sizes: Readonly<Record<number, number>>,
    total: boolean,
  ): Promise<void> {
    const all = Array.from({ length: count }, (_, index) => ({
      id: index + 1,
      issue_url: 'http://forge/alice/demo/issues/1',
      body: 'x'.repeat(sizes[index + 1] ?? 0),
      updated_at: '2026-11-23T10:00:00Z',
    }));
    server = await ForgeServer.start(({ url }) => {
      const { searchParams: asked, pathname } = new URL(url, 'http://x');
      if (pathname.endsWith('/settings/api'))
        return { status: 200, body: JSON.stringify({ max_response_items: most }) };
      const limit = Math.min(Number(asked.get('limit')), most);
      const from = (Number(asked.get('page')) - 1) * limit;
      const headers = total ? { 'x-total-count': String(count) } : {};
      return { status: 200, headers, body: JSON.stringify(all.slice(from, from + limit)) };
    });
    client = new GiteaClient({ baseUrl: server.url, token: 't', maxResponseBytes: 15_000 });
    feed = giteaFeed(client);
  }

  afterEach(async () => {
    client.close();
    await server.stop();
  });

  /** What is seen of the list until it is through. */
  async function read(): Promise<readonly number[]> {
    const seen = new Set<number>();
    for (let cursor = freshCursor(0); ;) {
      const page = await feed.comments(PLACE, 0, cursor.page);
      for (const { id } of page.items) seen.add(id);
      const after = afterPage(cursor, page);
      if (after.through) return [...seen].sort((a, b) => a - b);
      ({ cursor } = after);
    }
  }

  for (const [what, count, most, sizes] of [
    ['one in the middle', 75, 30, { 45: 8_000, 46: 8_000 }],
    ['the first one', 100, 30, { 5: 8_000, 6: 8_000 }],
    ['the last one', 75, 30, { 70: 8_000, 71: 8_000 }],
    ['one on a forge with longer pages', 120, 100, { 60: 8_000, 61: 8_000 }],
  ] as const)
    for (const total of [true, false])
      it(`loses nothing beside a page too large, ${what}${total ? '' : ', and no total is told'}`, async () => {
        await serve(count, most, sizes, total);
        assert.deepEqual(
          await read(),
          Array.from({ length: count }, (_, index) => index + 1),
        );
      });

  it('takes a page for full though the forge cannot show all of it', async () => {
    const page = Array.from({ length: 50 }, (_, index) => (index === 7 ? null : { type: 'comment' }));
    server = await ForgeServer.start(() => ({ status: 200, body: JSON.stringify(page) }));
    client = new GiteaClient({ baseUrl: server.url, token: 't' });
    assert.equal(await giteaFeed(client).wasPushed(PLACE, 1, 0), true);
  });

  it('says how many requests it took', async () => {
    await serve(40, 30, { 5: 8_000, 6: 8_000 }, true);
    await feed.comments(PLACE, 0, 1);
    assert.deepEqual([feed.requests, server.seen.length], [33, 33]);
    await feed.comments(PLACE, 0, 2);
    assert.deepEqual([feed.requests, server.seen.length], [34, 34]);
  });
});
