import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import {
  jsonRpcPost,
  serveHttpOnUnixSocket,
  type HttpUnixServer,
} from '../../../src/bundle/jsonrpc/http-unix.js';
import { overUnix } from '../../support/bundle/unix-http.js';
import { until } from '../../support/bundle/until.js';

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

  it('takes the place of a socket that a killed predecessor left', async () => {
    const stale = createServer().listen(`${socketPath}.tmp`);
    await once(stale, 'listening');
    // Under its final name nobody unlinks it when the server goes.
    const { renameSync } = await import('node:fs');
    renameSync(`${socketPath}.tmp`, socketPath);
    stale.close();
    assert.ok(existsSync(socketPath));
    await serve();
    assert.equal((await overUnix(socketPath, { body: '{}' })).status, 200);
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

  it('drops a connection whose request does not arrive, but holds a call as long as it takes', async () => {
    let finish: (answer: string) => void = () => assert.fail('no call');
    onMessage = () => new Promise((resolve) => (finish = resolve));
    await serve({ requestTimeoutMs: 150 });
    const held = overUnix(socketPath, { body: '{}' });
    const silent = await raw('');
    const slow = await raw(
      'POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    );
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
    const { socket, closed } = await raw(
      'POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
    );
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
});
