import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { operatorsOwn } from '../../../../src/bundle/egress/addresses.js';
import type { RouteAuth } from '../../../../src/domain/egress/route.js';
import { until } from '../../../support/bundle/until.js';
import { ask, type Answer } from '../../../support/egress/clients.js';
import { routeTo, withEgress } from '../../../support/egress/egress-here.js';
import {
  httpsUpstream,
  httpUpstream,
  stopUpstreams,
  tcpUpstream,
} from '../../../support/egress/upstreams.js';
import { privateCa } from '../../../support/gitea/tls-front.js';

const SECRET = 'sk-test/0123456789+abcdef==';
const AUTH: RouteAuth = { header: 'x-api-key', prefix: '', secret: 'model-key' };
const echo: http.RequestListener = (request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    const { method, url, headers } = request;
    response.setHeader('content-type', 'application/octet-stream');
    response.end(
      JSON.stringify({
        method,
        url,
        headers: { ...headers, 'x-api-key': undefined },
        body,
        key: headers['x-api-key'] === SECRET,
      }),
    );
  });
};
interface Echo {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly key: boolean;
}

describe('the credential proxy', () => {
  const egress = withEgress();
  afterEach(stopUpstreams);
  const get = (path: string, more: Parameters<typeof ask>[2] = {}): Promise<Answer> =>
    ask(egress().credentials, path, more);
  const noSecret = (): void => {
    const text = JSON.stringify(egress().logged);
    for (const form of [SECRET, 'sk-test', Buffer.from(SECRET).toString('base64')])
      assert.ok(!text.includes(form), 'the log has the secret');
  };

  /** A route with a key to a server; answers to `/files/…`. */
  async function keyed(
    listener: http.RequestListener,
    more: Parameters<typeof routeTo>[1] = {},
  ): Promise<string> {
    const { url } = await httpUpstream(listener);
    egress().routes(routeTo(url, { methods: ['GET', 'HEAD', 'POST', 'DELETE'], auth: AUTH, ...more }));
    egress().secret('model-key', SECRET);
    await egress().start();
    return url;
  }

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

  it('refuses every path that servers read in different ways', async () => {
    let requests = 0;
    await keyed(() => (requests += 1));
    for (const path of [
      ...['/files/../files/x', '/files/a/../../x', '/files/./x', '/files//x', '//files/x', '/files/%2e%2e/x'],
      ...[
        '/files/a%2f..%2fx',
        '/files/a\\..\\x',
        '/files/%5c..',
        '/files/%00',
        '/files/..;/x',
        '/files/%252e%252e/',
      ],
      ...[
        'http://evil.example/files/x',
        '*',
        'files/x',
        '/files/x#y',
        '/%66iles/x',
        '/files%2fx',
        '/files/\u00e4',
      ],
    ]) {
      const { status } = await get(path).catch(() => ({ status: 400 }));
      assert.ok(status === 400 || status === 403, `${path}: ${String(status)}`);
    }
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

  describe('what comes back', () => {
    const inMany = (text: Buffer, size: number): Buffer[] =>
      Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
        text.subarray(at * size, (at + 1) * size),
      );

    it('never has the secret in it, wherever it stands and however it is cut', async () => {
      const base64 = (text: string): string => Buffer.from(text).toString('base64');
      const leaks = [
        SECRET,
        base64(SECRET),
        base64(`u:${SECRET}`),
        base64(`us:${SECRET}:more`),
        Buffer.from(`u:${SECRET}`).toString('base64url'),
        encodeURIComponent(SECRET),
        JSON.stringify({ key: SECRET }).replaceAll('/', '\\/'),
        SECRET.slice(0, 12) + SECRET + SECRET,
      ];
      const text = Buffer.from(leaks.map((leak, at) => `${String(at)}:${leak};`).join('') + 'the end');
      let size = 1;
      await keyed((_request, response) => {
        response.setHeader('x-debug', `key=${SECRET}`);
        response.setHeader('content-length', text.length);
        const chunks = inMany(text, size);
        const next = (): void => {
          const chunk = chunks.shift();
          if (chunk === undefined) response.end();
          else response.write(chunk, () => setImmediate(next));
        };
        next();
      });
      for (size of [1, 2, 7, 26, 27, 28, 64, 10_000]) {
        const { text: got, headers } = await get('/files/x');
        assert.equal(got.length, text.length, `in parts of ${String(size)}`);
        assert.ok(got.endsWith(';the end'));
        assert.ok(!got.includes(SECRET));
        assert.ok(!got.replaceAll('\\/', '/').includes(SECRET));
        for (const encoded of got.matchAll(/[A-Za-z0-9+/_-]{16,}={0,2}/g)) {
          const decoded = Buffer.from(encoded[0], 'base64').toString('latin1');
          assert.ok(!decoded.includes(SECRET.slice(3, -3)), decoded);
        }
        assert.equal(headers['x-debug'], `key=${'*'.repeat(SECRET.length)}`);
      }
      noSecret();
    });

    for (const [name, pack] of [
      ['gzip', gzipSync],
      ['deflate', deflateSync],
      ['br', brotliCompressSync],
    ] as const)
      it(`never has it in an answer that came as ${name} all the same`, async () => {
        await keyed((_request, response) => {
          response.writeHead(200, { 'content-encoding': name });
          response.end(pack(`before ${SECRET} after`));
        });
        const { text, headers } = await get('/files/x');
        assert.equal(text, `before ${'*'.repeat(SECRET.length)} after`);
        assert.equal(headers['content-encoding'], undefined);
      });

    it('is refused in an encoding that cannot be read', async () => {
      await keyed((_request, response) => {
        response.writeHead(200, { 'content-encoding': 'zstd' });
        response.end('whatever');
      });
      const { status, text } = await get('/files/x');
      assert.equal(status, 502);
      assert.match(text, /came in the encoding \\"zstd\\"/);
    });

    it('streams: each event is there before the next is sent', async () => {
      let send: (text: string) => void = () => undefined;
      let finish = (): void => undefined;
      await keyed(
        (_request, response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.flushHeaders();
          send = (text) => response.write(text);
          finish = () => response.end();
        },
        { rewrite: true },
      );
      const request = http.request({ socketPath: egress().credentials, path: '/files/stream' });
      request.end();
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      for (let event = 0; event < 5; event += 1) {
        const text = `event: delta\ndata: {"n":${String(event)},"s":"sk-test"}\n\n`;
        send(text);
        let got = '';
        while (got.length < text.length) got += String((await once(response, 'data'))[0]);
        assert.equal(got, text);
      }
      finish();
      response.resume();
      await once(response, 'end');
    });

    it('has no cookies, and no redirect that leads elsewhere; one below the upstream leads to the route', async () => {
      let location = '';
      const url = await keyed((_request, response) => {
        response.writeHead(302, {
          location,
          'set-cookie': 'session=1',
          'alt-svc': 'h3=":443"',
          'x-kept': 'yes',
        });
        response.end('moved');
      });
      const cases: readonly (readonly [string, string | undefined])[] = [
        ['/v1/new?a=b', 'http://127.0.0.1:3129/files/v1/new?a=b'],
        ['new', 'http://127.0.0.1:3129/files/old/new'],
        ['../up', 'http://127.0.0.1:3129/files/up'],
        [`${url}/x`, 'http://127.0.0.1:3129/files/x'],
        [url, 'http://127.0.0.1:3129/files/'],
        [`${url}1/x`, undefined],
        [url.replace('http:', 'https:'), undefined],
        ['https://evil.example/', undefined],
        ['//evil.example/', undefined],
        [url.replace('//', '//user@'), undefined],
        ['http://[', undefined],
      ];
      for (const [given, expected] of cases) {
        location = given;
        const { status, headers, text } = await get('/files/old/page');
        assert.equal(status, 302);
        assert.equal(text, 'moved');
        assert.equal(headers.location, expected, given);
        assert.equal(headers['set-cookie'], undefined);
        assert.equal(headers['alt-svc'], undefined);
        assert.equal(headers['x-kept'], 'yes');
      }
    });

    it('has status, headers and length of a HEAD, of 204 and of 304', async () => {
      let status = 200;
      await keyed((request, response) => {
        response.writeHead(
          status,
          request.method === 'HEAD' ? { 'content-length': '1234', etag: '"x"' } : {},
        );
        response.end();
      });
      const head = await get('/files/x', { method: 'HEAD' });
      assert.deepEqual(
        [head.status, head.headers['content-length'], head.headers.etag],
        [200, '1234', '"x"'],
      );
      for (status of [204, 304]) assert.equal((await get('/files/x')).status, status);
    });
  });

  describe('a route that rewrites', () => {
    it('leads addresses in texts to the routes, and nothing else', async () => {
      const files = await httpUpstream((_request, response) => response.end('the file'));
      let type = '';
      let body = '';
      const index = await httpUpstream((_request, response) => {
        response.writeHead(200, {
          'content-type': type,
          'content-length': Buffer.byteLength(body),
          etag: '"1"',
        });
        response.end(body);
      });
      egress().routes(
        routeTo(`${index.url}/simple`, { name: 'pypi', rewrite: true }),
        routeTo(files.url, { name: 'pypi-files' }),
        routeTo('https://far.example', { name: 'far' }),
      );
      await egress().start();
      const address = 'http://127.0.0.1:3129';
      body = [
        `<a href="${files.url}/p/a.whl#sha256=0">`,
        `"${index.url}/simple/b/"`,
        `"${index.url.replaceAll('/', '\\/')}\\/simple\\/c"`,
        `${index.url}/other`,
        `${index.url}/simpler`,
        `${files.url}1/x`,
        `${files.url}.evil.example/x`,
        '{"dl":"https://far.example:443/a"} https://far.example/b https://far.example:4430/c',
        files.url,
      ].join('\n');
      const rewritten = [
        `<a href="${address}/pypi-files/p/a.whl#sha256=0">`,
        `"${address}/pypi/b/"`,
        `"${address.replaceAll('/', '\\/')}\\/pypi\\/c"`,
        `${index.url}/other`,
        `${index.url}/simpler`,
        `${files.url}1/x`,
        `${files.url}.evil.example/x`,
        `{"dl":"${address}/far/a"} ${address}/far/b https://far.example:4430/c`,
        `${address}/pypi-files`,
      ].join('\n');
      for (type of [
        ...[
          'text/html',
          'text/html; charset=utf-8',
          'application/json',
          'application/vnd.npm.install-v1+json',
        ],
        ...['application/vnd.pypi.simple.v1+html', 'application/xml', 'TEXT/XML'],
      ]) {
        const { text, headers } = await get('/pypi/', { headers: { range: 'bytes=0-1' } });
        assert.equal(text, rewritten, type);
        assert.equal(headers.etag, undefined);
      }
      for (type of ['application/octet-stream', 'application/gzip', 'image/png', 'text/event-stream']) {
        const { text, headers } = await get('/pypi/');
        assert.equal(text, body, type);
        assert.equal(headers.etag, '"1"');
      }
    });
  });

  it('trusts an authority of the operator, and no server without one', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'egress-ca-'));
    try {
      const ca = await privateCa(dir);
      const { url } = await httpsUpstream(ca, (_request, response) => response.end('over TLS'));
      egress().routes(routeTo(url), routeTo(url.replace('127.0.0.1', 'localhost'), { name: 'named' }));
      await egress().start();
      const { status, text } = await get('/files/x');
      assert.equal(status, 502);
      assert.match(text, /UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED/);
      await egress().stop();
      copyFileSync(ca.caFile, egress().caFile);
      await egress().start();
      assert.equal((await get('/files/x')).text, 'over TLS');
      assert.equal((await get('/named/x')).text, 'over TLS');
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });

  it('does not reach loopback or link-local addresses, also for the operator, and says why', async () => {
    egress().routes(
      routeTo('http://127.0.0.1:9'),
      routeTo('http://metadata.lan', { name: 'metadata' }),
      routeTo('http://[::1]:9', { name: 'six' }),
    );
    await egress().start({
      network: { upstreamPolicy: operatorsOwn, upstreamResolve: () => Promise.resolve(['169.254.169.254']) },
    });
    for (const [path, kind] of [
      ['/files/', 'loopback'],
      ['/six/', 'loopback'],
      ['/metadata/', 'link-local'],
    ] as const) {
      const { status, text } = await get(path);
      assert.equal(status, 502);
      assert.match(text, new RegExp(`which is ${kind}: .* an address that a container reaches`));
    }
  });

  it('may reach the private addresses of the operator', () => {
    for (const address of ['10.0.0.1', '192.168.1.1', '172.17.0.1', 'fd00::1', '203.0.113.9', '1.1.1.1'])
      assert.ok(operatorsOwn(address), address);
  });

  it('says that an upstream does not answer, or answers nonsense', async () => {
    for (const answer of [
      '',
      'nonsense\r\n\r\n',
      'HTTP/1.1 999 X\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
      'HTTP/1.1 101 X\r\nupgrade: y\r\nconnection: upgrade\r\n\r\n',
    ]) {
      const { port } = await tcpUpstream((socket) => {
        socket.once('data', () => socket.end(answer));
      });
      egress().routes(routeTo(`http://127.0.0.1:${String(port)}`, { auth: AUTH }));
      egress().secret('model-key', SECRET);
      await egress().start();
      const { status, text } = await get('/files/x');
      assert.equal(status, 502, JSON.stringify(answer));
      assert.ok(!text.includes(SECRET));
      await egress().stop();
      await stopUpstreams();
    }
    noSecret();
  });

  it('asks again when the upstream closed a kept connection, and only for what has no body', async () => {
    let connections = 0;
    const { port } = await tcpUpstream((socket) => {
      connections += 1;
      let answered = 0;
      socket.on('data', () => {
        // The second request on a connection finds it closed.
        if ((answered += 1) > 1) socket.resetAndDestroy();
        else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      });
    });
    egress().routes(routeTo(`http://127.0.0.1:${String(port)}`, { methods: ['GET', 'POST'] }));
    await egress().start();
    assert.equal((await get('/files/x')).text, 'ok');
    assert.equal((await get('/files/x')).text, 'ok');
    assert.equal(connections, 2);
    assert.equal((await get('/files/x', { method: 'POST', body: 'x' })).status, 502);
  });

  it('reloads its routes: a new one works, one that is gone is refused and its streams are cut', async () => {
    const { url } = await httpUpstream((request, response) => {
      response.write('begun');
      if (request.url === '/short') response.end();
    });
    egress().routes(routeTo(url));
    await egress().start();
    const request = http.request({ socketPath: egress().credentials, path: '/files/stream' });
    request.on('error', () => undefined);
    request.end();
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    response.on('error', () => undefined);
    await once(response, 'data');
    const cut = new Promise((resolve) => response.once('close', resolve));
    egress().routes(routeTo(url, { name: 'other' }));
    await cut;
    assert.equal(response.complete, false);
    assert.equal((await get('/files/short')).status, 403);
    assert.equal((await get('/other/short')).text, 'begun');
  });

  it('stops asking when its client has gone', async () => {
    let closed = false;
    let asked = false;
    await keyed((request) => {
      asked = true;
      request.socket.once('close', () => (closed = true));
    });
    const client = connect(egress().credentials);
    client.write('GET /files/x HTTP/1.1\r\nhost: x\r\n\r\n');
    await until('the request', () => (asked ? true : undefined));
    client.destroy();
    await until('the end of it', () => (closed ? true : undefined));
  });

  it('refuses CONNECT, and another protocol', async () => {
    await keyed(echo);
    const connectTo = http.request({
      socketPath: egress().credentials,
      method: 'CONNECT',
      path: '127.0.0.1:80',
    });
    connectTo.end();
    const [answer] = (await once(connectTo, 'connect')) as [http.IncomingMessage];
    assert.equal(answer.statusCode, 405);
    const upgrade = await get('/files/x', { headers: { connection: 'upgrade', upgrade: 'websocket' } });
    assert.equal(upgrade.status, 200);
    assert.equal((JSON.parse(upgrade.text) as Echo).headers['upgrade'], undefined);
  });

  it('counts, and remembers the last good answer as a sign of life, which a refusal is not', async () => {
    let status = 500;
    await keyed((_request, response) => {
      response.writeHead(status);
      response.end('12345');
    });
    await get('/files/x');
    await get('/files/x');
    await get('/nobody/x');
    await get('/files/x', { method: 'PATCH', body: 'x' });
    await egress().stop();
    assert.equal(egress().reports.at(-1)?.lastSuccessAt, null);
    await egress().start();
    status = 200;
    const began = Date.now();
    await get('/files/x', { method: 'POST', body: '123' });
    await egress().stop();
    const report = egress().reports.at(-1);
    const at = report?.lastSuccessAt ?? 0;
    assert.ok(at >= began && at <= Date.now());
    assert.deepEqual(report?.hosts, [
      { host: '127.0.0.1', route: 'files', connections: 1, bytesUp: 3, bytesDown: 5 },
    ]);
    const lines = await egress().lines(5);
    assert.deepEqual(
      lines.map((line) => [line['route'], line['verdict'], line['status'], line['up'], line['down']]),
      [
        ['files', 'allowed', 500, 0, 5],
        ['files', 'allowed', 500, 0, 5],
        [undefined, 'refused', 403, 0, 0],
        ['files', 'refused', 403, 0, 0],
        ['files', 'allowed', 200, 3, 5],
      ],
    );
    noSecret();
  });
});
