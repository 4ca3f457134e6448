import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import {
  jsonRpcPost,
  serveHttpOnUnixSocket,
  type HttpUnixServer,
} from '../../../../src/bundle/jsonrpc/http-unix.js';
import { overUnix, type UnixRequest } from '../../../support/bundle/unix-http.js';
import { until } from '../../../support/bundle/until.js';
import { allSentFirst, largePost } from '../../../support/http/all-sent-first.js';

const RPC_HEAD = 'POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';

describe('JSON-RPC over HTTP on a Unix socket', () => {
  let directory: string;
  let socketPath: string;
  let server: HttpUnixServer | undefined;
  let onMessage: (body: string) => Promise<string | undefined>;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'bundle-http-'));
    socketPath = join(directory, 'forge.sock');
    onMessage = (body) => Promise.resolve(body);
  });

  afterEach(async () => {
    await server?.close(100);
    server = undefined;
    assert.deepEqual(readdirSync(directory), [], 'a socket was left behind');
    rmSync(directory, { recursive: true });
  });

  async function serve(limits = {}): Promise<void> {
    const posts = new Map([['/rpc', jsonRpcPost((body) => onMessage(body))]]);
    server = await serveHttpOnUnixSocket({ socketPath, posts, limits });
  }

  async function raw(text: string): Promise<{ socket: Socket; closed: Promise<string> }> {
    const socket = connect(socketPath);
    await once(socket, 'connect');
    let seen = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (seen += chunk));
    socket.on('error', () => undefined);
    socket.write(text);
    const closed = new Promise<string>((resolve) => {
      socket.once('close', () => {
        resolve(seen);
      });
    });
    return { socket, closed };
  }

  it('lets everybody connect, and answers what comes before it has loaded HTTP', async () => {
    await serve();
    assert.equal(statSync(socketPath).mode & 0o777, 0o666);
    assert.ok(statSync(socketPath).isSocket());
    const answers = await Promise.all([1, 2, 3].map((n) => overUnix(socketPath, { body: String(n) })));
    assert.deepEqual(
      answers.map(({ status, text }) => [status, text]),
      [
        [200, '1'],
        [200, '2'],
        [200, '3'],
      ],
    );
  });

  it('says that it lives', async () => {
    await serve();
    const answer = await overUnix(socketPath, { method: 'GET', path: '/healthz', headers: {} });
    assert.deepEqual([answer.status, answer.text], [200, '{"status":"ok"}']);
  });

  it('answers notifications with 204', async () => {
    onMessage = () => Promise.resolve(undefined);
    await serve();
    assert.equal((await overUnix(socketPath, { body: '{}' })).status, 204);
  });

  it('takes a request of the limit and refuses one byte more, announced or not', async () => {
    onMessage = (body) => Promise.resolve(String(body.length));
    await serve({ maxBodyBytes: 1024 });
    const json = { 'content-type': 'application/json; charset=utf-8' };
    assert.equal((await overUnix(socketPath, { body: 'x'.repeat(1024), headers: json })).text, '1024');
    assert.equal((await overUnix(socketPath, { body: 'x'.repeat(1025) })).status, 413);
    const chunked = { ...json, 'transfer-encoding': 'chunked' };
    assert.equal((await overUnix(socketPath, { body: 'x'.repeat(1025), headers: chunked })).status, 413);
    assert.equal((await overUnix(socketPath, { body: 'x'.repeat(900_000) })).status, 413);
    assert.equal((await overUnix(socketPath, { body: 'y' })).text, '1', 'it goes on serving');
  });

  it('is heard when it refuses, by a client that first sends everything', async () => {
    await serve({ maxBodyBytes: 1024 });
    for (const framing of ['length', 'chunked'] as const)
      assert.match(
        await allSentFirst({ path: socketPath }, largePost('/rpc', 20_000_000, framing)),
        /^HTTP\/1\.1 413 [^]*at most 1024 bytes/,
      );
  });

  it('drops a connection whose request does not arrive, but holds a call as long as it takes', async () => {
    let finish: (answer: string) => void = () => assert.fail('no call');
    onMessage = () => new Promise((resolve) => (finish = resolve));
    await serve({ requestTimeoutMs: 150 });
    const held = overUnix(socketPath, { body: '{}' });
    const silent = await raw('');
    const slow = await raw(`${RPC_HEAD}Content-Length: 9\r\n\r\n{`);
    await Promise.all([silent.closed, slow.closed]);
    finish('"late"');
    assert.equal((await held).text, '"late"');
  });

  it('admits no more connections than the limit, and again when one has gone', async () => {
    await serve({ maxConnections: 3 });
    const idle = await Promise.all([raw(''), raw(''), raw('')]);
    const fourth = await raw('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    assert.equal(await fourth.closed, '', 'dropped without an answer');
    for (const { socket } of idle) socket.destroy();
    const again = await until('a place', async () => {
      const answer = await overUnix(socketPath, { body: '1' }).catch(() => undefined);
      return answer?.status;
    });
    assert.equal(again, 200);
  });

  it('carries a call out although its client has gone', async () => {
    let finish: (() => void) | undefined;
    let finished = false;
    onMessage = async () => {
      await new Promise<void>((resolve) => (finish = resolve));
      finished = true;
      return '1';
    };
    await serve();
    const { socket, closed } = await raw(`${RPC_HEAD}Content-Length: 2\r\n\r\n{}`);
    const carryOn = await until('the call', () => finish);
    socket.destroy();
    await closed;
    carryOn();
    await until('the end of the call', () => (finished ? true : undefined));
  });

  it('lets calls under way end when it closes, accepts nothing new, and cuts off what takes too long', async () => {
    const finish: ((answer: string) => void)[] = [];
    onMessage = () => new Promise((resolve) => finish.push(resolve));
    await serve();
    const first = overUnix(socketPath, { body: '{}' });
    const second = assert.rejects(overUnix(socketPath, { body: '{}' }), { code: 'ECONNRESET' });
    await until('both calls', () => (finish.length === 2 ? true : undefined));
    const closing = server?.close(200);
    server = undefined;
    await assert.rejects(overUnix(socketPath, { body: '{}' }), { code: 'ENOENT' });
    finish[0]?.('"in time"');
    assert.equal((await first).text, '"in time"');
    await second;
    await closing;
  });

  it('takes the rest of a request that had begun to arrive when it closes', async () => {
    await serve();
    const { socket, closed } = await raw(`${RPC_HEAD}Content-Length: 2\r\n\r\n1`);
    await overUnix(socketPath, { body: '1' });
    const closing = server?.close(10_000);
    server = undefined;
    socket.write('2');
    assert.match(await closed, /^HTTP\/1\.1 200 OK\r\n.*\r\n12$/s);
    await closing;
  });

  const JSON_TYPE = 'application/json';
  const refused: [
    what: string,
    request: UnixRequest,
    status: number,
    allow: string | undefined,
    why: RegExp,
  ][] = [
    ['another method on a path', { method: 'GET' }, 405, 'POST', /use POST/],
    ['another method on the sign of life', { path: '/healthz' }, 405, 'GET', /use GET/],
    ['a path that is not served', { path: '/' }, 404, undefined, /^there is POST \/rpc, GET \/healthz$/],
    ['a body of another type', { headers: { 'content-type': 'text/plain' } }, 415, undefined, /not encoded/],
    ['a body of no type', { headers: {} }, 415, undefined, /application\/json/],
    [
      'an encoded body',
      { headers: { 'content-type': JSON_TYPE, 'content-encoding': 'gzip' } },
      ...([415, undefined, /not encoded/] as const),
    ],
    ['a body that is too large', { body: 'x'.repeat(1025) }, 413, undefined, /at most 1024 bytes/],
  ];
  for (const [what, request, status, allow, why] of refused) {
    it(`refuses ${what} as JSON that says what is taken, and calls nothing`, async () => {
      onMessage = () => assert.fail('it was called');
      await serve({ maxBodyBytes: 1024 });
      const answer = await overUnix(socketPath, { body: '{}', ...request });
      assert.deepEqual(
        [answer.status, answer.headers['allow'], answer.headers['content-type']],
        [status, allow, JSON_TYPE],
      );
      assert.match((JSON.parse(answer.text) as { error: string }).error, why);
    });
  }

  const taken: [what: string, request: UnixRequest][] = [
    ['a query behind the path', { path: '/rpc?session=1' }],
    [
      'the type in capitals and with a parameter',
      { headers: { 'content-type': 'Application/JSON ; charset=utf-8' } },
    ],
    ['the encoding that is none', { headers: { 'content-type': JSON_TYPE, 'content-encoding': 'identity' } }],
  ];
  for (const [what, request] of taken) {
    it(`takes ${what}`, async () => {
      await serve();
      assert.equal((await overUnix(socketPath, { body: '1', ...request })).text, '1');
    });
  }

  it('takes and answers UTF-8, whose length is that of its bytes', async () => {
    await serve();
    const { text, headers } = await overUnix(socketPath, { body: '"Größe"' });
    assert.deepEqual([text, headers['content-length']], ['"Größe"', '9']);
  });

  it('carries nothing out of which only the beginning came', async () => {
    const bodies: string[] = [];
    onMessage = (body) => {
      bodies.push(body);
      return Promise.resolve('1');
    };
    await serve();
    const { socket } = await raw(`${RPC_HEAD}Content-Length: 9\r\n\r\n{`);
    socket.destroy();
    await overUnix(socketPath, { body: 'whole' });
    assert.deepEqual(bodies, ['whole']);
  });

  it('drops a client that keeps its end open after the answer', async () => {
    await serve({ maxConnections: 1, requestTimeoutMs: 150 });
    const half = connect({ path: socketPath, allowHalfOpen: true });
    half.on('error', () => undefined).resume();
    half.write(`${RPC_HEAD}Content-Length: 1\r\n\r\n1`);
    await once(half, 'end');
    const free = await until(
      'a place',
      async () => (await overUnix(socketPath, { body: '1' }).catch(() => undefined))?.status,
    );
    assert.equal(free, 200);
    half.destroy();
  });

  it('drops a client that does not take a large answer', async () => {
    onMessage = () => Promise.resolve(JSON.stringify('x'.repeat(8 * 1024 * 1024)));
    await serve({ requestTimeoutMs: 300, maxConnections: 1 });
    const { socket } = await raw(`${RPC_HEAD}Content-Length: 2\r\n\r\n{}`);
    socket.pause();
    // There is room again only when that connection is gone.
    await until('another answer', async () =>
      (await overUnix(socketPath, { method: 'GET', path: '/healthz', headers: {} }).catch(() => undefined))
        ?.status === 200
        ? true
        : undefined,
    );
    socket.destroy();
  });

  it('waits for nobody who has said nothing when it closes', async () => {
    await serve();
    const silent = await raw('');
    // It is known to be connected when another one is served.
    await overUnix(socketPath, { body: '1' });
    await server?.close(60_000);
    server = undefined;
    assert.equal(await silent.closed, '');
  });
});
