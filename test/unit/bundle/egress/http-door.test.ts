import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { mock } from 'node:test';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { httpDoor } from '../../../../src/bundle/egress/http-door.js';
import { until } from '../../../support/bundle/until.js';

const GET = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';
const ANSWERS = 5;
/** Says how many answers it has got whole, after the last or when it is cut off. */
const READER = `
  const { connect } = require('node:net');
  const { parentPort, workerData: { port, length, request } } = require('node:worker_threads');
  const socket = connect(port, '127.0.0.1');
  let [whole, left] = [0, length];
  let head = '';
  socket.on('data', (chunk) => {
    let count = chunk.length;
    if (head !== null) {
      head += chunk.toString('latin1');
      const end = head.indexOf('\\r\\n\\r\\n');
      if (end < 0) return;
      count = head.length - end - 4;
      head = null;
    }
    left -= count;
    if (left > 0) return;
    whole += 1;
    [left, head] = [length, ''];
    if (whole === ${String(ANSWERS)}) parentPort.postMessage(whole);
    else socket.write(request);
  });
  socket.on('error', () => undefined);
  socket.on('close', () => parentPort.postMessage(whole));
  socket.write(request);
`;

describe('requests on one connection', () => {
  let server: Server;
  let asked: ServerResponse[];
  let tunnels: number;
  let clients: Socket[];
  beforeEach(async () => {
    [asked, tunnels, clients] = [[], 0, []];
    const door = httpDoor({
      onRequest: (_, response) => {
        asked.push(response);
        return Promise.resolve();
      },
      onConnect: () => {
        tunnels += 1;
        return Promise.resolve();
      },
      onFault: (error) => assert.fail(String(error)),
    });
    server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, door).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    for (const socket of clients) socket.destroy();
    server.close();
  });

  async function client(): Promise<Socket> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    clients.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  }
  const nth = (count: number): Promise<ServerResponse> =>
    until(`request ${String(count)}`, () => asked[count - 1]);

  it('are taken one after the other, each when the one before has its answer', async () => {
    const socket = await client();
    socket.resume();
    for (let count = 1; count <= 3; count += 1) {
      socket.write(GET);
      (await nth(count)).end('x');
      await once(socket, 'data');
    }
    assert.equal(socket.destroyed, false);
  });

  it('are taken also when their client has a large answer whole before the door knows that it is sent', async () => {
    const answer = Buffer.alloc(8 * 1024 * 1024);
    const { port } = server.address() as AddressInfo;
    // A client with a loop of its own, which asks again after the last byte.
    const reader = new Worker(READER, {
      eval: true,
      workerData: { port, length: answer.length, request: GET },
    });
    const read = once(reader, 'message');
    // As when something else is judged meanwhile.
    const busy = setInterval(() => {
      const end = performance.now() + 20;
      while (performance.now() < end);
    }, 1);
    try {
      for (let count = 1; count <= ANSWERS; count += 1) {
        const response = await Promise.race([nth(count), read]);
        if (Array.isArray(response)) break;
        response.writeHead(200, { 'content-length': answer.length }).end(answer);
      }
      assert.deepEqual(await read, [ANSWERS]);
    } finally {
      clearInterval(busy);
      await reader.terminate();
    }
  });

  for (const [what, more] of [
    ['at once', GET.repeat(2_000)],
    ['as a tunnel', 'CONNECT a:443 HTTP/1.1\r\nhost: a\r\n\r\n'],
  ] as const)
    it(`end it when one comes before the answer to the one before, ${what}`, async () => {
      const socket = await client();
      const closed = once(socket, 'close');
      socket.resume().write(GET + more);
      await closed;
      assert.deepEqual([asked.length, tunnels], [1, 0]);
    });

  it('end it when the head of a later one does not arrive whole', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    try {
      const socket = await client();
      socket.resume().write(GET);
      while (asked.length === 0) await turn();
      mock.timers.tick(60_000);
      asked[0]?.end('x');
      while (asked[0]?.closed !== true) await turn();
      socket.write(GET.slice(0, 5));
      mock.timers.tick(89_999);
      await turn();
      assert.equal(socket.destroyed, false);
      const closed = once(socket, 'close');
      mock.timers.tick(1);
      await closed;
      assert.equal(asked.length, 1);
    } finally {
      mock.timers.reset();
    }
  });

  it('end it also when that one comes later', async () => {
    const socket = await client();
    const closed = once(socket, 'close');
    socket.resume().write(GET);
    await nth(1);
    socket.write(GET);
    await closed;
    assert.equal(asked.length, 1);
  });
});
