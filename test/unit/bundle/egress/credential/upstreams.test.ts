import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { connect } from 'node:net';
import { operatorsOwn } from '../../../../../src/bundle/egress/addresses.js';
import { until } from '../../../../support/bundle/until.js';
import { routeTo } from '../../../../support/egress/egress-here.js';
import { AUTH, echo, SECRET, withKeyedRoute, type Echo } from '../../../../support/egress/keyed-route.js';
import { httpUpstream, stopUpstreams, tcpUpstream } from '../../../../support/egress/upstreams.js';

describe('the credential proxy and its upstreams', () => {
  const { egress, get, keyed, noSecret } = withKeyedRoute();

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
