import assert from 'node:assert/strict';
import { GiteaClient } from '../../../../src/adapters/gitea/gitea-client.js';
import { allPages } from '../../../../src/adapters/gitea/paging.js';
import type { PagingOptions } from '../../../../src/adapters/gitea/paging.js';
import { ForgeServer } from '../../../support/gitea/forge-server.js';

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

  it('takes a list that ignores paging once', async () => {
    await serve(() => [1, 2, 3]);
    assert.deepEqual(await read(), [1, 2, 3]);
    assert.equal(server.seen.length, 2);
  });

  it('goes on over an empty page where the forge filters pages', async () => {
    await serve((page) => [[1], null, [2]][page - 1] ?? null);
    assert.deepEqual(await read({ isFiltered: true }), [1, 2]);
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
    assert.deepEqual(await read({ isFiltered: true }), [1]);
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

  it('refuses a list without an end instead of cutting it', async () => {
    await serve((page) => [page]);
    await assert.rejects(read(), { name: 'ForgeHttpError', status: 413, retryable: false });
    assert.equal(server.seen.length, 100);
  });
});
