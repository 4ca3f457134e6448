import assert from 'node:assert/strict';
import { GithubClient } from '../../../../src/adapters/github/github-client.js';
import { allPages, nextPage } from '../../../../src/adapters/github/paging.js';
import { asList } from '../../../../src/adapters/forge-http/decode.js';
import { ForgeServer } from '../../../support/gitea/forge-server.js';

describe('the Link header of GitHub', () => {
  it('names the next page, in whatever order and company', () => {
    const next = '<https://api.github.com/r/1/i?per_page=2&page=3>; rel="next"';
    const last = '<https://api.github.com/r/1/i?page=9&per_page=2>; rel="last"';
    assert.equal(nextPage(`${next}, ${last}`), 3);
    assert.equal(nextPage(`${last}, ${next}`), 3);
    assert.equal(nextPage('<https://x/?page=4>; title="a, b"; rel=next'), 4);
    for (const none of ['', last, '<https://x/?after=abc>; rel="next"', '<https://x/?page=2>; rel="nextish"'])
      assert.equal(nextPage(none), undefined, none);
  });

  it('is followed to the end, on this server and this path whatever its URL says', async () => {
    const server = await ForgeServer.start((_, count) => ({
      status: 200,
      body: JSON.stringify([{ id: count }]),
      headers: count < 4 ? { link: `<https://evil.example/x?page=${String(count + 1)}>; rel="next"` } : {},
    }));
    const client = new GithubClient({ baseUrl: server.url, token: 't' });
    try {
      const items = await allPages(
        client,
        (api, page) => api.issues.listComments({ owner: 'a', repo: 'b', issue_number: 1, ...page }),
        (data) => asList(data, 'comments'),
      );
      assert.deepEqual(items, [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }]);
      assert.deepEqual(
        server.seen.map(({ url }) => url),
        [1, 2, 3, 4].map((page) => `/repos/a/b/issues/1/comments?per_page=100&page=${String(page)}`),
      );
    } finally {
      client.close();
      await server.stop();
    }
  });

  it('cannot lead round in circles or on for ever', async () => {
    const server = await ForgeServer.start(({ url }) => {
      const page = Number(new URL(url, 'http://x').searchParams.get('page'));
      const next = url.includes('circle') ? 1 : page + 1;
      return { status: 200, body: '[]', headers: { link: `<http://x/?page=${String(next)}>; rel="next"` } };
    });
    const client = new GithubClient({ baseUrl: server.url, token: 't' });
    const read = (repo: string) =>
      allPages(
        client,
        (api, page) => api.issues.listComments({ owner: 'a', repo, issue_number: 1, ...page }),
        (data) => asList(data, 'comments'),
      );
    try {
      assert.deepEqual(await read('circle'), []);
      assert.equal(server.seen.length, 1);
      await assert.rejects(read('endless'), { name: 'ForgeHttpError', status: 413 });
      assert.equal(server.seen.length, 101);
    } finally {
      client.close();
      await server.stop();
    }
  });
});
