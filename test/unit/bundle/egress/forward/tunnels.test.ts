import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { until } from '../../../../support/bundle/until.js';
import { connectThrough, drained, openTunnel, rawOver } from '../../../../support/egress/clients.js';
import { helloFor, record, SERVER_HELLO } from '../../../../support/egress/hellos.js';
import { HOST, withTunnels } from '../../../../support/egress/tunnels.js';
import { greeted, tcpUpstream } from '../../../../support/egress/upstreams.js';

/** A fatal alert, `access_denied`. */
const DENIED = Buffer.from([21, 3, 1, 0, 2, 2, 49]);

describe('the tunnels of the forward proxy', () => {
  const { egress, served } = withTunnels();

  /** Everything that a client gets that sends this and waits for the end. */
  async function sent(at: string, bytes: Buffer): Promise<Buffer> {
    const { socket } = await connectThrough(egress().socket, at);
    socket.write(bytes);
    const got = await drained(socket);
    socket.destroy();
    return got;
  }

  it('carries bytes both ways to a host that is allowed, whatever they are behind the hellos', async () => {
    const at = await served((socket) => socket.pipe(socket));
    await egress().start();
    const { status, socket } = await openTunnel(egress().socket, at);
    assert.equal(status, 200);
    const sent = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const got = drained(socket);
    socket.end(sent);
    assert.deepEqual(await got, sent);
  });

  it('lets an answer come after the client has said all it has to say', async () => {
    const at = await served((socket) => {
      let size = 0;
      socket.on('data', (chunk: Buffer) => (size += chunk.length));
      socket.on('end', () => socket.end(`${String(size)} bytes`));
    });
    await egress().start();
    const { socket } = await openTunnel(egress().socket, at);
    const got = drained(socket);
    socket.end(Buffer.alloc(300_000));
    assert.equal((await got).toString(), '300000 bytes');
  });

  it('passes on what came in one piece with the CONNECT', async () => {
    const at = await served((socket) => socket.pipe(socket));
    await egress().start();
    const head = Buffer.from(`CONNECT ${at} HTTP/1.1\r\nhost: ${at}\r\n\r\n`);
    const early = Buffer.concat([head, helloFor(HOST), Buffer.from('early')]);
    const text = await rawOver(egress().socket, early, true);
    const answer = `HTTP/1.1 200 Connection Established\r\n\r\n${SERVER_HELLO.toString('latin1')}early`;
    assert.equal(text, answer);
  });

  it('lets in no more connections than it may have', async () => {
    const at = await served((socket) => socket.pipe(socket));
    await egress().start({ limits: { maxConnections: 3 } });
    const open = await Promise.all([1, 2, 3].map(() => connectThrough(egress().socket, at)));
    assert.equal(await rawOver(egress().socket, 'GET / HTTP/1.1\r\n\r\n'), '');
    for (const { socket } of open) socket.destroy();
    // There is room again.
    await until('a connection', async () =>
      (await rawOver(egress().socket, 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n')) === ''
        ? undefined
        : true,
    );
  });

  it('answers 429 beyond the calls of a minute', async () => {
    const at = await served((socket) => socket.end());
    await egress().start({ limits: { callsPerMinute: 2 } });
    const statuses: number[] = [];
    for (let call = 0; call < 3; call += 1) {
      const { status, socket } = await connectThrough(egress().socket, at);
      statuses.push(status);
      socket.destroy();
    }
    assert.deepEqual(statuses, [200, 200, 429]);
  });

  it('lets only so many bytes up in a turn, then cuts and refuses', async () => {
    let arrived = 0;
    const at = await served((socket) => socket.on('data', (chunk: Buffer) => (arrived += chunk.length)));
    await egress().start({ uploadBytes: 100_000 });
    const { socket } = await openTunnel(egress().socket, at);
    socket.write(Buffer.alloc(90_000));
    await until('the bytes', () => (arrived === 90_000 ? true : undefined));
    socket.write(Buffer.alloc(20_000));
    await once(socket, 'close');
    const refused = await connectThrough(egress().socket, at);
    assert.equal(refused.status, 403);
    assert.match(refused.text, /upload limit of this turn \(100000 bytes\) is reached/);
    const [line] = await egress().lines(2);
    assert.equal(line?.['how'], 'upload limit');
    assert.equal(arrived, 90_000);
  });

  it('tells the worker of every sixteenth of them before it is through', async () => {
    let arrived = 0;
    const at = await served((socket) => socket.on('data', (chunk: Buffer) => (arrived += chunk.length)));
    await egress().start({ uploadBytes: 1_600_000 });
    const { socket } = await openTunnel(egress().socket, at);
    for (const told of [100_000, 200_000]) {
      socket.write(Buffer.alloc(100_000));
      await until('the bytes', () => (arrived === told ? true : undefined));
      const counted = egress().reports.at(-1)?.hosts[0]?.bytesUp ?? 0;
      assert.ok(counted >= told, `${String(counted)} of ${String(told)}`);
    }
    socket.destroy();
  });

  it('cuts connections that a new allowlist has no place for, and keeps the others', async () => {
    const at = await served((socket) => socket.pipe(socket));
    const { port: other } = await tcpUpstream(greeted((socket) => socket.pipe(socket)));
    egress().names.set('other.example.org', ['127.0.0.1']);
    egress().allow(at, `other.example.org:${String(other)}`);
    await egress().start();
    const [lost, kept] = await Promise.all([
      openTunnel(egress().socket, at),
      openTunnel(egress().socket, `other.example.org:${String(other)}`),
    ]);
    egress().allow(`other.example.org:${String(other)}`);
    await once(lost.socket, 'close');
    kept.socket.write('still here');
    assert.equal(String((await once(kept.socket, 'data'))[0]), 'still here');
    kept.socket.destroy();
    assert.equal((await connectThrough(egress().socket, at)).status, 403);
    egress().allow(at);
    await until('the host again', async () => {
      const again = await connectThrough(egress().socket, at);
      again.socket.destroy();
      return again.status === 200 ? true : undefined;
    });
  });

  it('writes one line a connection, with its bytes, and one a refusal', async () => {
    const at = await served((socket) => {
      socket.once('data', () => socket.end('12345'));
    });
    await egress().start();
    const { socket } = await openTunnel(egress().socket, at);
    const got = drained(socket);
    socket.write('123');
    await got;
    socket.end();
    await connectThrough(egress().socket, 'evil.example:443');
    const lines = await egress().lines(2);
    const byVerdict = new Map(lines.map((line) => [line['verdict'], line]));
    const { ms, ...line } = byVerdict.get('allowed') ?? {};
    assert.equal(typeof ms, 'number');
    const port = Number(at.split(':')[1]);
    const [up, down] = [helloFor(HOST).length + 3, SERVER_HELLO.length + 5];
    assert.deepEqual(line, {
      method: 'CONNECT',
      host: HOST,
      port,
      verdict: 'allowed',
      how: 'done',
      up,
      down,
    });
    assert.equal(byVerdict.get('refused')?.['host'], 'evil.example');
    await egress().stop();
    assert.deepEqual(egress().reports.at(-1), {
      hosts: [
        {
          host: HOST,
          route: null,
          connections: 1,
          bytesUp: up,
          bytesDown: down,
        },
      ],
      refusals: [{ host: 'evil.example', count: 1 }],
      // A connection is no sign of life of the agent.
      lastSuccessAt: null,
      model: null,
    });
  });

  it('cuts what is open when it stops, and removes its sockets', async () => {
    const at = await served((socket) => socket.pipe(socket));
    await egress().start();
    const { socket } = await openTunnel(egress().socket, at);
    const closed = once(socket, 'close');
    await egress().stop();
    await closed;
    for (const path of [egress().socket, egress().credentials]) {
      const [error] = (await once(connect(path), 'error')) as [NodeJS.ErrnoException];
      assert.equal(error.code, 'ENOENT');
    }
  });

  it('are closed with an alert when the hello is for another host, which counts as a refusal of that one', async () => {
    const at = await served((socket) => socket.pipe(socket));
    await egress().start();
    assert.deepEqual(await sent(at, helloFor('evil.example')), DENIED);
    const [line] = await egress().lines(1);
    assert.deepEqual(
      [line?.['verdict'], line?.['why'], line?.['up'], line?.['down']],
      ['refused', 'the TLS hello is for "evil.example"', 0, 0],
    );
    await egress().stop();
    assert.deepEqual(egress().reports.at(-1)?.refusals, [{ host: 'evil.example', count: 1 }]);
  });

  it('are closed when no hello comes in time', async () => {
    const at = await served((socket) => socket.pipe(socket));
    await egress().start({ limits: { helloMs: 100 } });
    assert.deepEqual(await sent(at, Buffer.alloc(0)), DENIED);
    const [line] = await egress().lines(1);
    assert.equal(line?.['why'], 'the TLS hello did not come in time');
  });

  it('let an encrypted part of a hello through where the allowlist says so, and still compare the name', async () => {
    const at = await served((socket) => socket.end());
    await egress().start();
    const ech = [0xfe0d, Buffer.alloc(180, 1)] as const;
    assert.deepEqual(await sent(at, helloFor(HOST, ech)), DENIED);
    await egress().stop();
    egress().allow(`${at} ech`);
    await egress().start();
    assert.deepEqual(await sent(at, helloFor(HOST, ech)), SERVER_HELLO);
    assert.deepEqual(await sent(at, helloFor('evil.example', ech)), DENIED);
  });

  it('with an encrypted part are cut when the allowlist does not say so any more, the others stay', async () => {
    const at = await served((socket) => socket.pipe(socket));
    const { port } = await tcpUpstream(greeted((socket) => socket.pipe(socket)));
    const other = `${HOST}:${String(port)}`;
    egress().allow(`${at} ech`, `${other} ech`);
    await egress().start();
    const opened = async (to: string, hello: Buffer): Promise<Socket> => {
      const { socket } = await connectThrough(egress().socket, to);
      socket.write(hello);
      assert.deepEqual((await once(socket, 'data'))[0], SERVER_HELLO);
      return socket;
    };
    const encrypted = helloFor(HOST, [0xfe0d, Buffer.alloc(180, 1)]);
    const [lost, marked] = await Promise.all([opened(at, encrypted), opened(other, encrypted)]);
    const [plain, late] = [
      await opened(at, helloFor(HOST)),
      (await connectThrough(egress().socket, at)).socket,
    ];
    egress().allow(at, `${other} ech`);
    await once(lost, 'close');
    late.write(encrypted);
    assert.deepEqual(await drained(late), DENIED);
    for (const kept of [marked, plain]) {
      kept.write('still here');
      assert.equal(String((await once(kept, 'data'))[0]), 'still here');
      kept.destroy();
    }
  });

  for (const words of [Buffer.alloc(0), record(Buffer.from([2, 40]), 21)])
    it(`pass on that a server closes ${words.length === 0 ? 'without an answer' : 'with an alert'}`, async () => {
      const { port } = await tcpUpstream((socket) => socket.once('data', () => socket.end(words)));
      egress().names.set(HOST, ['127.0.0.1']);
      egress().allow(`${HOST}:${String(port)}`);
      await egress().start();
      assert.deepEqual(await sent(`${HOST}:${String(port)}`, helloFor(HOST)), words);
    });

  it('are no refusal when the client leaves before it has said anything', async () => {
    const at = await served(() => undefined);
    await egress().start();
    for (const leave of ['end', 'destroy'] as const)
      (await connectThrough(egress().socket, at)).socket[leave]();
    const lines = await egress().lines(2);
    assert.deepEqual(
      lines.map(({ verdict, how }) => [verdict, how]),
      Array(2).fill(['allowed', 'client gone']),
    );
  });
});
