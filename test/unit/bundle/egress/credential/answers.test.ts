import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { gzipSync } from 'node:zlib';
import { routeTo } from '../../../../support/egress/egress-here.js';
import { SECRET, withKeyedRoute } from '../../../../support/egress/keyed-route.js';
import { httpUpstream } from '../../../../support/egress/upstreams.js';

describe('answers through the credential proxy', () => {
  const { egress, get, keyed, noSecret } = withKeyedRoute();

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

    it('never has a part of it, however a client asks for parts', async () => {
      const page = Buffer.from(`before ${SECRET} after`);
      await keyed((request, response) => {
        const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
        response.writeHead(from === undefined ? 200 : 206, { 'accept-ranges': 'bytes' });
        response.end(from === undefined ? page : page.subarray(Number(from), Number(to) + 1));
      });
      const half = 'before '.length + SECRET.length / 2;
      for (const range of [`bytes=0-${String(Math.floor(half))}`, `bytes=${String(Math.ceil(half))}-99`]) {
        const { status, text, headers } = await get('/files/x', { headers: { range } });
        assert.deepEqual([status, text], [200, `before ${'*'.repeat(SECRET.length)} after`]);
        assert.equal(headers['accept-ranges'], undefined);
      }
      noSecret();
    });

    it('never has it in an answer that came compressed all the same', async () => {
      await keyed((_request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        response.end(gzipSync(`before ${SECRET} after`));
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
      type = 'application/vnd.pypi.simple.v1+html; charset=utf-8';
      const { text, headers } = await get('/pypi/', { headers: { range: 'bytes=0-1' } });
      assert.deepEqual([text, headers.etag], [rewritten, undefined]);
      type = 'application/octet-stream';
      const other = await get('/pypi/');
      assert.deepEqual([other.text, other.headers.etag], [body, '"1"']);
    });
  });
});
