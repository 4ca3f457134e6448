import assert from 'node:assert/strict';
import { GiteaClient } from '../../../../src/adapters/gitea/gitea-client.js';
import { asEntries } from '../../../../src/adapters/gitea/decode.js';
import { allPages, readPage } from '../../../../src/adapters/gitea/paging.js';
import type { PagingOptions } from '../../../../src/adapters/gitea/paging.js';
import { ForgeServer } from '../../../support/gitea/forge-server.js';

/** Of which the forge leaves out none that it tells of. */
const FILTERED: PagingOptions = { countHidden: () => Promise.resolve(0) };

describe('a list read page by page', () => {
  let server: ForgeServer;
  let client: GiteaClient;

  /** `pages` holds the ids on each page; beyond them pages are empty, as `null` like Gitea writes it. */
  async function serve(pages: (page: number) => readonly number[] | null, total?: number): Promise<void> {
    server = await ForgeServer.start((request) => {
      const page = Number(new URL(request.url, 'http://x').searchParams.get('page'));
      const ids = pages(page);
      return {
        status: 200,
        body: JSON.stringify(ids?.map((id) => ({ id })) ?? null),
        ...(total === undefined ? {} : { headers: { 'x-total-count': String(total) } }),
      };
    });
    client = new GiteaClient({ baseUrl: server.url, token: 't' });
  }

  async function read(options?: PagingOptions): Promise<unknown[]> {
    return (await allPages(client, ['x'], options)).map((item) => item['id']);
  }

  afterEach(async () => {
    client.close();
    await server.stop();
  });

  it('goes on after a short page', async () => {
    await serve((page) => [[1, 2], [3], [4, 5]][page - 1] ?? null);
    assert.deepEqual(await read(), [1, 2, 3, 4, 5]);
  });

  it('stops at the total where that counts the whole list', async () => {
    await serve((page) => [[1, 2], [3]][page - 1] ?? null, 3);
    assert.deepEqual(await read(), [1, 2, 3]);
    assert.equal(server.seen.length, 2);
  });

  for (const isFiltered of [false, true])
    it(`gives up beyond 32 MiB, ${isFiltered ? 'filtered' : 'whole'}, and takes what is just below`, async () => {
      const body = 'x'.repeat(10 * 1024 * 1024);
      let last = 3;
      server = await ForgeServer.start(({ url }) => {
        const id = Number(new URL(url, 'http://x').searchParams.get('page'));
        return { status: 200, body: JSON.stringify(id <= last ? [{ id, body }] : []) };
      });
      client = new GiteaClient({ baseUrl: server.url, token: 't' });
      assert.deepEqual(await read(isFiltered ? FILTERED : {}), [1, 2, 3]);
      last = 100;
      await assert.rejects(read(isFiltered ? FILTERED : {}), {
        status: 413,
        message: 'GET /x: more than 32 MiB, too much to read',
      });
      assert.ok(server.seen.length < 20, 'it does not read on');
    });

  it('takes a list that ignores paging once', async () => {
    await serve(() => [1, 2, 3]);
    assert.deepEqual(await read(), [1, 2, 3]);
    assert.equal(server.seen.length, 2);
  });

  it('goes on over an empty page where the forge filters pages', async () => {
    await serve((page) => [[1], null, [2]][page - 1] ?? null);
    assert.deepEqual(await read(FILTERED), [1, 2]);
  });

  it('leaves out what the forge cannot show, and goes on over a page of it', async () => {
    const none = null;
    server = await ForgeServer.start(({ url }) => {
      const page = Number(new URL(url, 'http://x').searchParams.get('page'));
      return {
        status: 200,
        body: JSON.stringify([[{ id: 1 }, none], [none], [{ id: 2 }]][page - 1] ?? null),
      };
    });
    client = new GiteaClient({ baseUrl: server.url, token: 't' });
    assert.deepEqual(await read(), [1, 2]);
  });

  for (const most of [50, 10])
    it(`goes on over all that the forge tells it leaves out, on pages of ${String(most)}`, async () => {
      server = await ForgeServer.start(({ url }) => {
        if (url.endsWith('/settings/api'))
          return { status: 200, body: `{"max_response_items":${String(most)}}` };
        const page = Number(new URL(url, 'http://x').searchParams.get('page'));
        const ids = page === 1 ? [1] : page === Math.ceil(162 / most) ? [2] : [];
        return { status: 200, body: JSON.stringify(ids.map((id) => ({ id }))) };
      });
      client = new GiteaClient({ baseUrl: server.url, token: 't' });
      let asked: unknown;
      const countHidden = (found: unknown): Promise<number> => {
        asked = found;
        return Promise.resolve(160);
      };
      assert.deepEqual(await read({ countHidden }), [1, 2]);
      assert.deepEqual(asked, [{ id: 1 }]);
      // 162 rows, two pages without any, and what the forge is set to.
      assert.equal(server.seen.length, Math.ceil(162 / most) + 2 + 1);
    });

  it('asks for the pages that tell the end beside the first one', async () => {
    let allAsked = (): void => undefined;
    const asked = new Promise<void>((resolve) => (allAsked = resolve));
    server = await ForgeServer.start(async ({ url }, count) => {
      if (count === 3) allAsked();
      if (!url.includes('page=1')) return { status: 200, body: 'null' };
      await asked;
      return { status: 200, body: '[{"id":1}]' };
    });
    client = new GiteaClient({ baseUrl: server.url, token: 't', timeoutMs: 5_000, retry: { tries: 1 } });
    assert.deepEqual(await read(FILTERED), [1]);
    assert.equal(server.seen.length, 3);
  });

  it('keeps what moved to the next page meanwhile once', async () => {
    await serve(
      (page) =>
        [
          [1, 2],
          [2, 3],
        ][page - 1] ?? null,
    );
    assert.deepEqual(await read(), [1, 2, 3]);
  });

  describe('with more in it than an answer may have', () => {
    /**
     * Items 1 to `count` on a forge that gives at most `most` a page; those of `sizes` have a text of so many bytes, those
     * of `hidden` are left out of a page that was cut.
     */
    async function serveTexts(
      count: number,
      most: number,
      sizes: Readonly<Record<number, number>>,
      hidden: readonly number[] = [],
    ): Promise<void> {
      const all = Array.from({ length: count }, (_, index) => {
        const id = index + 1;
        return { id, body: 'x'.repeat(sizes[id] ?? 0) };
      });
      server = await ForgeServer.start(({ url }) => {
        if (url.endsWith('/settings/api'))
          return { status: 200, body: `{"max_response_items":${String(most)}}` };
        const { searchParams: asked } = new URL(url, 'http://x');
        const limit = Math.min(Number(asked.get('limit')), most);
        const from = (Number(asked.get('page')) - 1) * limit;
        const page = all.slice(from, from + limit).filter(({ id }) => !hidden.includes(id));
        return { status: 200, body: JSON.stringify(page) };
      });
      client = new GiteaClient({ baseUrl: server.url, token: 't', maxResponseBytes: 10_000 });
    }
    const upTo = (count: number, without: readonly number[] = []): readonly number[] =>
      Array.from({ length: count }, (_, index) => index + 1).filter((id) => !without.includes(id));

    for (const isFiltered of [false, true]) {
      it(`is read in smaller pieces${isFiltered ? ', also where the forge filters them' : ''}`, async () => {
        await serveTexts(75, 50, { 3: 6_000, 14: 6_000, 60: 6_000, 70: 6_000 });
        assert.deepEqual(await read(isFiltered ? FILTERED : {}), upTo(75));
      });

      it(`is read without what is too large by itself${isFiltered ? ', there, too' : ''}`, async () => {
        await serveTexts(75, 50, { 14: 20_000, 75: 20_000 });
        assert.deepEqual(await read(isFiltered ? FILTERED : {}), upTo(75, [14, 75]));
      });
    }

    it('is read to its end over as many that the forge leaves out as in longer pages', async () => {
      const hidden = upTo(75, upTo(50));
      await serveTexts(76, 50, { 3: 6_000, 14: 6_000 }, hidden);
      assert.deepEqual(await read(FILTERED), upTo(76, hidden));
    });

    it('loses nothing on a forge that is set to shorter pages', async () => {
      await serveTexts(75, 30, { 35: 6_000, 36: 6_000, 50: 20_000 });
      assert.deepEqual(await read(FILTERED), upTo(75, [50]));
    });

    it('is refused where it ignores paging: it would seem empty', async () => {
      server = await ForgeServer.start(() => ({ status: 200, body: JSON.stringify(['x'.repeat(20_000)]) }));
      client = new GiteaClient({ baseUrl: server.url, token: 't', maxResponseBytes: 10_000 });
      await assert.rejects(read(), { name: 'ForgeHttpError', status: 413 });
      assert.equal(server.seen.length, 2);
    });

    it('hides nothing else in a feed, and counts there, so that the feed goes on', async () => {
      await serveTexts(75, 50, { 14: 20_000 });
      const { items, size } = await readPage(
        (page, limit) => client.request({ method: 'GET', path: ['x'], query: { page, limit } }),
        (answer) => asEntries(answer, 'list'),
        1,
        () => Promise.resolve(50),
      );
      assert.deepEqual(
        items.map(({ id }) => id),
        upTo(50, [14]),
      );
      assert.equal(size, 50);
    });
  });

  it('refuses a list without an end instead of cutting it', async () => {
    await serve((page) => [page]);
    await assert.rejects(read(), { name: 'ForgeHttpError', status: 413, retryable: false });
    assert.equal(server.seen.length, 100);
  });
});
