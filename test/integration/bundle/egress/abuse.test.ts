import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../../support/bundle/until.js';
import { ask, rawOver } from '../../../support/egress/clients.js';
import { routeTo, withEgress } from '../../../support/egress/egress-here.js';
import { httpUpstream, stopUpstreams } from '../../../support/egress/upstreams.js';

const HOST = 'files.example.org';

describe('hostile clients of the egress plane', () => {
  const egress = withEgress();
  const seen: string[] = [];
  let port = 0;
  beforeEach(async () => {
    seen.length = 0;
    const upstream = await httpUpstream((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        seen.push(`${request.method ?? ''} ${request.url ?? ''} ${body}`);
        response.end('ok');
      });
    });
    port = upstream.port;
    egress().names.set(HOST, ['127.0.0.1']);
    egress().allow(`${HOST}:${String(port)}`);
    egress().routes(routeTo(upstream.url, { methods: ['GET', 'POST'], paths: ['/listed'] }));
    await egress().start();
  });
  afterEach(stopUpstreams);

  /** Both proxies still answer as they should. */
  async function bothServe(): Promise<void> {
    assert.equal((await ask(egress().socket, `http://${HOST}:${String(port)}/`)).text, 'ok');
    assert.equal((await ask(egress().credentials, '/files/listed')).text, 'ok');
  }

  it('may send garbage: they are answered 400 or cut, and the others are served', async () => {
    const garbage = [
      randomBytes(5000),
      Buffer.from('\u0016\u0003\u0001\u0002\u0000', 'latin1'),
      'GET\r\n\r\n',
      'CONNECT\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      `GET /${'a'.repeat(100_000)} HTTP/1.1\r\n\r\n`,
      `GET / HTTP/1.1\r\n${'x: y\r\n'.repeat(10_000)}\r\n`,
      'GET / HTTP/1.1\r\nhost : x\r\n\r\n',
      'GET / HTTP/1.1\r\n folded: x\r\n\r\n',
      'GET / HTTP/1.1\r\nx: a\u0000b\r\n\r\n',
      'GET / HTTP/1.1\nhost: x\n\n',
      '\r\n'.repeat(1000),
    ];
    for (const socket of [egress().socket, egress().credentials])
      for (const bytes of garbage) {
        const answer = await rawOver(socket, bytes, true);
        assert.ok(answer === '' || /^HTTP\/1\.1 4\d\d /.test(answer), JSON.stringify(answer.slice(0, 60)));
      }
    await bothServe();
  });

  const smuggling: readonly (readonly [string, string])[] = [
    ['two framings', 'content-length: 4\r\ntransfer-encoding: chunked'],
    ['two framings, the other way round', 'transfer-encoding: chunked\r\ncontent-length: 4'],
    ['two lengths', 'content-length: 4\r\ncontent-length: 40'],
    ['a length that is no number', 'content-length: +4'],
    ['lengths in one line', 'content-length: 4, 4'],
    ['a coding that hides', 'transfer-encoding: xchunked'],
    ['a coding before chunked', 'transfer-encoding: gzip, chunked'],
    ['chunked twice', 'transfer-encoding: chunked\r\ntransfer-encoding: identity'],
    ['a coding with a space before its colon', 'transfer-encoding : chunked\r\ncontent-length: 4'],
    ['a coding behind a bare carriage return', 'x: y\rtransfer-encoding: chunked\r\ncontent-length: 4'],
    ['a coding with a vertical tab', 'transfer-encoding:\u000bchunked\r\ncontent-length: 4'],
  ];
  for (const [what, headers] of smuggling)
    it(`cannot hide a request behind another with ${what}`, async () => {
      const hidden = 'GET /hidden HTTP/1.1\r\nhost: x\r\n\r\n';
      const body = `0\r\n\r\n${hidden}`;
      await Promise.all([
        rawOver(
          egress().socket,
          `POST http://${HOST}:${String(port)}/ HTTP/1.1\r\nhost: x\r\n${headers}\r\n\r\n${body}`,
          true,
        ),
        rawOver(
          egress().credentials,
          `POST /files/listed HTTP/1.1\r\nhost: x\r\n${headers}\r\n\r\n${body}`,
          true,
        ),
      ]);
      await bothServe();
      assert.ok(
        !seen.some((request) => request.includes('/hidden') && !request.includes(body)),
        seen.join('\n'),
      );
      assert.ok(!seen.some((request) => request.startsWith('GET /hidden')), seen.join('\n'));
    });

  it('are refused a body in a coding that would be lost on the way', async () => {
    const rest = 'host: x\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n';
    const answers = await Promise.all([
      rawOver(egress().socket, `POST http://${HOST}:${String(port)}/ HTTP/1.1\r\n${rest}`, true),
      rawOver(egress().credentials, `POST /files/listed HTTP/1.1\r\n${rest}`, true),
    ]);
    for (const answer of answers) assert.match(answer, /^HTTP\/1\.1 400 /);
    assert.deepEqual(seen, []);
  });

  it('are cut off when they send several requests at once, of which one may have been passed on', async () => {
    const one = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;
    await Promise.all([
      rawOver(egress().credentials, one('/files/listed').repeat(2_000)),
      rawOver(egress().socket, one(`http://${HOST}:${String(port)}/`).repeat(2_000)),
    ]);
    assert.ok(seen.length <= 2, String(seen.length));
    await bothServe();
  });

  it('may put a CONNECT behind a request that is not answered yet', async () => {
    await rawOver(
      egress().socket,
      `GET http://${HOST}:${String(port)}/ HTTP/1.1\r\nhost: x\r\n\r\nCONNECT ${HOST}:${String(port)} HTTP/1.1\r\n\r\n`,
      true,
    );
    await bothServe();
  });

  it('may go away at any moment', async () => {
    const requests = [
      'CON',
      `CONNECT ${HOST}:${String(port)} HTTP/1.1\r\n\r\n`,
      `CONNECT ${HOST}:${String(port)} HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n`,
      `GET http://${HOST}:${String(port)}/ HTTP/1.1\r\n\r\n`,
      `POST http://${HOST}:${String(port)}/ HTTP/1.1\r\ncontent-length: 100\r\n\r\nabc`,
      'POST /files/listed HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nabc',
      'GET /files/listed HTTP/1.1\r\nhost: x\r\n\r\n',
    ];
    for (const path of [egress().socket, egress().credentials])
      for (const bytes of requests)
        for (const wait of [0, 1, 5]) {
          const socket = connect(path);
          socket.on('error', () => undefined);
          socket.write(bytes);
          await delay(wait);
          socket.destroy();
        }
    await bothServe();
    await egress().stop();
    assert.ok(!egress().logged.some(({ message }) => message === 'egress: a request failed'));
  });

  it('may leave hundreds of requests unfinished, and keep nobody else out who comes in time', async () => {
    const half = Array.from({ length: 200 }, () => {
      const socket = connect(egress().socket);
      socket.on('error', () => undefined);
      socket.write('CONNECT files.exa');
      return socket;
    });
    await bothServe();
    for (const socket of half) socket.destroy();
    await until('an end of them', async () => {
      await bothServe();
      return true;
    });
  });

  it('name more hosts than there are lines for, and names that are none: the record stays small', async () => {
    for (let number = 0; number < 250; number += 1)
      await ask(egress().socket, `http://h${String(number)}.example/`);
    for (const host of ['..', 'UPPER', 'a_b.example', 'x'.repeat(300)])
      await ask(egress().socket, `http://${host}/`);
    await egress().stop();
    const refusals = egress().reports.at(-1)?.refusals ?? [];
    assert.equal(refusals.length, 201);
    assert.equal(
      refusals.reduce((sum, { count }) => sum + count, 0),
      254,
    );
    assert.ok(refusals.every(({ host }) => host.length < 40));
  });
});
