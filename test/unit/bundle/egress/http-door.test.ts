import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { httpDoor } from '../../../../src/bundle/egress/http-door.js';
import { until } from '../../../support/bundle/until.js';

const GET = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';

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
