import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import {
  DEFAULT_LIMITS,
  listen,
  type Listening,
  type ListenLimits,
  type MalformedAnswer,
} from '../../../../src/webhook/door/listen.js';
import { rawExchange } from '../../../support/webhook/raw-exchange.js';

const LOOPBACK = { host: '127.0.0.1', port: 0 };
const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const LAST_GET = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

describe('listening', () => {
  let listening: Listening | undefined;

  const begin = async (
    handler: RequestListener,
    limits?: ListenLimits,
    malformed?: MalformedAnswer,
  ): Promise<Listening> => (listening = await listen(handler, LOOPBACK, limits, malformed));
  const client = async (text: string): Promise<Socket> => {
    const socket = connect(listening?.port ?? 0, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(text);
    return socket;
  };

  afterEach(async () => {
    await listening?.close(0);
    listening = undefined;
  });

  it('tells the port that was really taken', async () => {
    const { url, port } = await begin((_request, response) => response.end('here'));
    assert.equal(url, `http://127.0.0.1:${String(port)}`);
    assert.equal(await (await fetch(url)).text(), 'here');
  });

  it('has brackets around an IPv6 address', async () => {
    listening = await listen((_request, response) => response.end('six'), { host: '::1', port: 0 });
    assert.equal(listening.url, `http://[::1]:${String(listening.port)}`);
    assert.equal(await (await fetch(listening.url)).text(), 'six');
  });

  it('fails where somebody else listens', async () => {
    const { port } = await begin(() => undefined);
    await assert.rejects(
      listen(() => undefined, { host: '127.0.0.1', port }),
      { code: 'EADDRINUSE' },
    );
  });

  const broken: [what: string, bytes: string, status: number, word: string][] = [
    ['no HTTP', 'hello\r\n\r\n', 400, 'Bad Request'],
    [
      'a head that is too large',
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`,
      431,
      'Request Header Fields Too Large',
    ],
  ];
  for (const [what, bytes, status, word] of broken)
    it(`answers ${what} as JSON, and hangs up`, async () => {
      const { port } = await begin(() => assert.fail('it was called'));
      const answer = await rawExchange(port, bytes);
      const body = '{"status":"malformed","reason":"the request is not complete and well-formed HTTP"}';
      assert.equal(
        answer,
        `HTTP/1.1 ${String(status)} ${word}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
          `Content-Length: ${String(body.length)}\r\n\r\n${body}`,
      );
    });

  it('answers half a head and half a body after a time, in the words of who listens', async () => {
    const limits = { ...DEFAULT_LIMITS, headersTimeout: 100, requestTimeout: 200, checkInterval: 20 };
    const problem = (status: number): { type: string; body: object } => ({
      type: 'application/problem+json',
      body: { status },
    });
    const { port } = await begin((request) => request.resume(), limits, problem);
    for (const half of ['GET / HTTP/1.1\r\n', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab'])
      assert.match(
        await rawExchange(port, half),
        /^HTTP\/1\.1 408 Request Timeout\r\n[^]*application\/problem\+json[^]*\{"status":408\}$/,
      );
  });

  it('goes on after a client that broke off', async () => {
    const { url } = await begin((_request, response) => response.end('still'));
    const socket = await client('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab');
    socket.resetAndDestroy();
    assert.equal(await (await fetch(url)).text(), 'still');
  });

  it('ends at once where nothing is under way, also with connections that are kept', async () => {
    const idle = await begin((_request, response) => response.end());
    const socket = await client(GET);
    await once(socket, 'data');
    const closed = once(socket, 'close');
    socket.resume();
    await idle.close(60_000);
    await closed;
  });

  it('lets a request under way end, and cuts it off after the grace', async () => {
    let finish = (): void => undefined;
    const busy = await begin((_request, response) => {
      finish = () => response.end('whole');
    });
    const socket = await client(LAST_GET);
    socket.setEncoding('utf8');
    let got = '';
    socket.on('data', (text: string) => (got += text));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const closing = busy.close(60_000);
    const whole = once(socket, 'close');
    finish();
    await Promise.all([closing, whole]);
    assert.match(got, /whole$/);

    await begin(() => undefined);
    const stuck = await client(GET);
    const cut = once(stuck.resume(), 'close');
    await listening?.close(50);
    await cut;
  });
});
