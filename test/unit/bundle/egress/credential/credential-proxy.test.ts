import assert from 'node:assert/strict';
import { until } from '../../../../support/bundle/until.js';
import { routeTo } from '../../../../support/egress/egress-here.js';
import { AUTH, echo, SECRET, withKeyedRoute, type Echo } from '../../../../support/egress/keyed-route.js';
import { httpUpstream } from '../../../../support/egress/upstreams.js';
import { allSentFirst, largePost } from '../../../../support/http/all-sent-first.js';

describe('the credential proxy', () => {
  const { egress, get, keyed, noSecret } = withKeyedRoute();

  it("adds the secret and takes away the client's own authentication, and whatever leads astray", async () => {
    const url = await keyed(echo);
    const { status, text } = await get('/files/v1/messages?a=b&c=%2F..', {
      method: 'POST',
      body: '{"x":1}',
      headers: {
        host: 'evil.example',
        authorization: 'Bearer mine',
        'X-Api-Key': 'mine',
        x_api_key: 'mine',
        'api-key': 'mine',
        cookie: 'a=b',
        'proxy-authorization': 'Basic x',
        'x-forwarded-for': '127.0.0.1',
        'x-forwarded-host': 'evil.example',
        forwarded: 'for=127.0.0.1',
        'x-http-method-override': 'DELETE',
        'x-original-url': '/admin',
        'x-rewrite-url': '/admin',
        'accept-encoding': 'gzip, br',
        connection: 'keep-alive, x-mine, x-api-key',
        'x-mine': 'hop',
        'content-type': 'application/json',
        'anthropic-version': '2023-06-01',
      },
    });
    assert.equal(status, 200);
    assert.deepEqual(JSON.parse(text), {
      method: 'POST',
      url: '/v1/messages?a=b&c=%2F..',
      headers: {
        host: new URL(url).host,
        'content-type': 'application/json',
        'anthropic-version': '2023-06-01',
        'accept-encoding': 'identity',
        'content-length': '7',
        connection: 'keep-alive',
      },
      body: '{"x":1}',
      key: true,
    } satisfies Echo);
    noSecret();
  });

  it('has the prefix before the secret, and the base before the path', async () => {
    const { url } = await httpUpstream((request, response) => {
      response.end(`${request.url ?? ''} ${String(request.headers.authorization === `Bearer ${SECRET}`)}`);
    });
    egress().routes(
      routeTo(`${url}/base/v2`, {
        auth: { header: 'authorization', prefix: 'Bearer ', secret: 'model-key' },
      }),
    );
    egress().secret('model-key', `${SECRET}\n`);
    await egress().start();
    assert.equal((await get('/files/x?y')).text, '/base/v2/x?y true');
    assert.equal((await get('/files')).text, '/base/v2/ true');
  });

  it('refuses what is not listed, and says what is', async () => {
    let requests = 0;
    await keyed(() => (requests += 1), { methods: ['GET'], paths: ['/v1/models', '/v1/files/'] });
    const post = await get('/files/v1/models', { method: 'POST', body: 'x' });
    assert.equal(post.status, 403);
    const why = 'bot-bottle, route "files": the method POST is not in this route\'s list';
    assert.deepEqual(JSON.parse(post.text), {
      error: `${why}; to ask for it call the tool cred-proxy-block of the MCP server supervise`,
      allowed: { methods: ['GET'], paths: ['/v1/models', '/v1/files/'] },
    });
    for (const path of [
      '/files/v1/models/',
      '/files/v1/model',
      '/files/',
      '/files',
      '/files/v1%2fmodels',
      '/files/v1/files',
    ])
      assert.equal((await get(path)).status, 403, path);
    const unknown = await get('/model/v1/models');
    assert.equal(unknown.status, 403);
    assert.match(unknown.text, /no such route; there are: files/);
    assert.equal(requests, 0);
  });

  it('lets through what package clients ask for', async () => {
    await keyed((request, response) => response.end(request.url));
    for (const path of [
      '/@types%2fnode',
      '/@types/node/-/node-20.0.0.tgz',
      '/golang.org/x/net/@v/list',
      '/simple/a-b_c/',
      '/a~1+2',
    ])
      assert.equal((await get(`/files${path}`)).text, path);
  });

  it('carries nothing up where only reading is allowed', async () => {
    let requests = 0;
    await keyed(() => (requests += 1));
    assert.equal(
      (await get('/files/x', { body: 'payload', headers: { 'content-length': '7' } })).status,
      400,
    );
    assert.equal(
      (await get('/files/x', { body: 'payload', headers: { 'transfer-encoding': 'chunked' } })).status,
      400,
    );
    assert.equal(requests, 0);
  });

  it('refuses a body that is too large, announced or not', async () => {
    const { url } = await httpUpstream(echo);
    egress().routes(routeTo(url, { methods: ['POST'] }));
    await egress().start({ limits: { maxBodyBytes: 1000 } });
    const body = Buffer.alloc(5000, 'x');
    const known = await get('/files/x', { method: 'POST', body, headers: { 'content-length': '5000' } });
    assert.equal(known.status, 413);
    const chunked = await get('/files/x', {
      method: 'POST',
      body,
      headers: { 'transfer-encoding': 'chunked' },
    });
    assert.equal(chunked.status, 413);
    assert.equal((await get('/files/x', { method: 'POST', body: 'small' })).status, 200);
  });

  for (const framing of ['length', 'chunked'] as const)
    it(`is heard by a client that first sends everything (${framing})`, async () => {
      const { url } = await httpUpstream(echo);
      egress().routes(routeTo(url, { methods: ['POST'] }));
      await egress().start({ limits: { maxBodyBytes: 1000 } });
      const post = largePost('/files/x', 20_000_000, framing);
      const answer = await allSentFirst({ path: egress().credentials }, post);
      assert.match(answer, /^HTTP\/1\.1 413 [^]*at most 1000 bytes/);
      assert.equal(egress().logged.filter(({ message }) => message === 'egress').length, 1);
    });

  it('says so when the secret is not there, and asks nobody', async () => {
    let requests = 0;
    const { url } = await httpUpstream(() => (requests += 1));
    egress().routes(routeTo(url, { auth: AUTH }));
    await egress().start();
    const { status, text } = await get('/files/x');
    assert.equal(status, 502);
    assert.match(text, /its secret is not there/);
    assert.equal(requests, 0);
    // It is read for each request.
    egress().secret('model-key', SECRET);
    void get('/files/x').catch(() => undefined);
    await until('the request', () => (requests === 1 ? true : undefined));
  });
});
