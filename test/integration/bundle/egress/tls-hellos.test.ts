import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { until } from '../../../support/bundle/until.js';
import { connectThrough, drained } from '../../../support/egress/clients.js';
import { withEgress } from '../../../support/egress/egress-here.js';
import {
  clientHello,
  helloFor,
  HRR_RANDOM,
  record,
  SERVER_HELLO,
  serverHello,
  serverName,
  USUAL,
} from '../../../support/egress/hellos.js';
import { FOREIGN, HOST, HOSTILE_HELLOS } from '../../../support/egress/hostile-hellos.js';
import { greeted, stopUpstreams, tcpUpstream } from '../../../support/egress/upstreams.js';
import { privateCa } from '../../../support/gitea/tls-front.js';

/** A fatal alert, `access_denied`. */
const DENIED = Buffer.from([21, 3, 1, 0, 2, 2, 49]);
const ECH = [0xfe0d, Buffer.alloc(180, 1)] as const;

describe('a tunnel and the host that its TLS hello is for', () => {
  const egress = withEgress();
  afterEach(stopUpstreams);

  async function served(onSocket: (socket: Socket) => void, mark = ''): Promise<string> {
    const { port } = await tcpUpstream(onSocket);
    egress().names.set(HOST, ['127.0.0.1']);
    egress().allow(`${HOST}:${String(port)}${mark}`);
    return `${HOST}:${String(port)}`;
  }

  /** Everything that a client gets that sends this and waits for the end. */
  async function sent(at: string, bytes: Buffer): Promise<Buffer> {
    const { socket } = await connectThrough(egress().socket, at);
    socket.write(bytes);
    const got = await drained(socket);
    socket.destroy();
    return got;
  }

  it(`is closed for each of ${String(HOSTILE_HELLOS.length)} hellos that are not the host's: no byte arrives, the log says why`, async () => {
    let arrived = 0;
    const at = await served((socket) => socket.on('data', (chunk: Buffer) => (arrived += chunk.length)));
    await egress().start();
    for (const [index, { name, bytes, why }] of HOSTILE_HELLOS.entries()) {
      assert.deepEqual(await sent(at, bytes), DENIED, name);
      const line = (await egress().lines(index + 1))[index] ?? {};
      assert.equal(line['verdict'], 'refused', name);
      assert.match(String(line['why']), why, name);
      assert.deepEqual([line['host'], line['up'], line['down']], [HOST, 0, 0], name);
    }
    assert.equal(arrived, 0);
    assert.ok(HOSTILE_HELLOS.length >= 40);
    await egress().stop();
    const refusals = new Map(
      egress()
        .reports.at(-1)
        ?.refusals.map(({ host, count }) => [host, count]),
    );
    // A foreign name is what was refused; where there is none, the host is.
    assert.ok((refusals.get(FOREIGN) ?? 0) >= 2 && (refusals.get(HOST) ?? 0) >= 20);
  });

  const GOOD: readonly (readonly [name: string, bytes: Buffer])[] = [
    ['the name in capitals', helloFor(HOST.toUpperCase())],
    ['GREASE', helloFor(HOST, [0x0a0a, Buffer.alloc(0)], [0xfafa, Buffer.from([0])])],
    [
      'a ticket and early data behind the hello',
      Buffer.concat([
        helloFor(HOST, [35, Buffer.alloc(200)], [42, Buffer.alloc(0)]),
        record(Buffer.alloc(300), 23),
      ]),
    ],
    ['a hello of 14 KiB', helloFor(HOST, [21, Buffer.alloc(14_000)])],
    ...[0x0301, 0x0302, 0x0303].map(
      (version) =>
        [
          `a record and a hello of version ${version.toString(16)}`,
          record(clientHello({ version, extensions: [...USUAL, serverName(HOST)] }), 22, version),
        ] as const,
    ),
  ];
  for (const [name, bytes] of GOOD)
    it(`opens for ${name}`, async () => {
      const arrived: Buffer[] = [];
      const at = await served(greeted((socket) => socket.on('data', (chunk: Buffer) => arrived.push(chunk))));
      await egress().start();
      const { socket } = await connectThrough(egress().socket, at);
      socket.write(bytes);
      socket.write('and more');
      const [answer] = (await once(socket, 'data')) as [Buffer];
      assert.deepEqual(answer, SERVER_HELLO);
      await until('the rest', () =>
        Buffer.concat(arrived).toString().endsWith('and more') ? true : undefined,
      );
      socket.destroy();
    });

  it('opens for a hello that comes byte by byte, and closes when it does not come in time', async () => {
    const at = await served(greeted((socket) => socket.end()));
    await egress().start();
    const { socket } = await connectThrough(egress().socket, at);
    socket.setNoDelay(true);
    const got = drained(socket);
    for (const byte of helloFor(HOST)) {
      socket.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.deepEqual(await got, SERVER_HELLO);
    await egress().stop();
    await egress().start({ limits: { helloMs: 100 } });
    // One byte less, and then nothing.
    assert.deepEqual(await sent(at, helloFor(HOST).subarray(0, -1)), DENIED);
    assert.deepEqual(await sent(at, Buffer.alloc(0)), DENIED);
    const whys = (await egress().lines(3)).flatMap(({ why }) => (why === undefined ? [] : [why]));
    assert.deepEqual(whys, Array(2).fill('the TLS hello did not come in time'));
  });

  it('lets an encrypted part of a hello through where the allowlist says so, and still compares the name', async () => {
    const at = await served(
      greeted((socket) => socket.end()),
      ' ech',
    );
    await egress().start();
    assert.deepEqual(await sent(at, helloFor(HOST, ECH)), SERVER_HELLO);
    assert.deepEqual(await sent(at, helloFor(FOREIGN, ECH)), DENIED);
  });

  describe('when the server asks for a second hello', () => {
    /** What the server has got, when the client answers its request for another hello so. */
    async function second(bytes: Buffer, answer = serverHello()): Promise<{ got: Buffer; client: Buffer }> {
      const got: Buffer[] = [];
      const at = await served((socket) => {
        socket.once('data', () => socket.write(serverHello(HRR_RANDOM)));
        socket.on('data', (chunk: Buffer) => {
          got.push(chunk);
          if (got.length > 1) socket.end(answer);
        });
      });
      await egress().start();
      const { socket } = await connectThrough(egress().socket, at);
      socket.write(first);
      const [retry] = (await once(socket, 'data')) as [Buffer];
      assert.deepEqual(retry, serverHello(HRR_RANDOM));
      const client = drained(socket);
      socket.write(bytes);
      const said = await client;
      socket.destroy();
      return { got: Buffer.concat(got), client: said };
    }
    const first = helloFor(HOST);
    const change = record(Buffer.from([1]), 20, 0x0303);

    it('passes the same name on, also behind a change of ciphers and early data', async () => {
      const again = Buffer.concat([change, record(Buffer.alloc(99), 23), helloFor(HOST)]);
      const { got, client } = await second(again);
      assert.deepEqual(got, Buffer.concat([first, again]));
      assert.deepEqual(client, SERVER_HELLO);
    });

    for (const [name, bytes] of [
      ['another name', helloFor(FOREIGN)],
      ['no name', record(clientHello({ extensions: USUAL }))],
      ['an encrypted part', helloFor(HOST, ECH)],
      ['no TLS', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
      [
        'a message in the change of ciphers',
        Buffer.concat([record(Buffer.from([1, 1]), 20), helloFor(HOST)]),
      ],
    ] as const)
      it(`closes at ${name}`, async () => {
        const { got, client } = await second(bytes);
        assert.deepEqual(got, first);
        assert.deepEqual(client, DENIED);
      });

    it('closes when the server asks a third time', async () => {
      const { client } = await second(helloFor(HOST), serverHello(HRR_RANDOM));
      // The request has been passed on; nothing of the client's would be.
      assert.deepEqual(client, Buffer.concat([serverHello(HRR_RANDOM), DENIED]));
    });
  });

  it('closes at a server that answers no TLS, whose words do not arrive', async () => {
    for (const words of [
      Buffer.from('HTTP/1.1 200 OK\r\n\r\nhello'),
      record(Buffer.alloc(50), 23),
      helloFor(HOST),
    ]) {
      const at = await served((socket) => socket.once('data', () => socket.end(words)));
      await egress().start();
      assert.deepEqual(await sent(at, helloFor(HOST)), DENIED);
      await egress().stop();
    }
  });

  it('passes on that a server closes without an answer, or with an alert', async () => {
    const alert = record(Buffer.from([2, 40]), 21);
    for (const words of [Buffer.alloc(0), alert]) {
      const at = await served((socket) => socket.once('data', () => socket.end(words)));
      await egress().start();
      assert.deepEqual(await sent(at, helloFor(HOST)), words);
      await egress().stop();
    }
  });

  it('is no refusal when the client leaves before it has said anything', async () => {
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

  it('opens for real handshakes: TLS 1.2 and 1.3, resumed ones, and one with a second hello', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'egress-hello-'));
    const names: string[] = [];
    let server: tls.Server | undefined;
    try {
      const { key, cert, caFile } = await privateCa(dir, [`DNS:${HOST}`]);
      server = tls.createServer(
        {
          key,
          cert,
          ecdhCurve: 'secp384r1',
          SNICallback: (name, answer) => {
            names.push(name);
            answer(null);
          },
        },
        (socket) => socket.on('error', () => undefined).end('over TLS'),
      );
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const at = `${HOST}:${String(port)}`;
      egress().names.set(HOST, ['127.0.0.1']);
      egress().allow(at);
      await egress().start();
      const ca = readFileSync(caFile);
      let session: Buffer | undefined;
      for (const more of [
        { maxVersion: 'TLSv1.2' },
        { minVersion: 'TLSv1.3' },
        // The first share is not of the server's group, so that it asks again.
        { minVersion: 'TLSv1.3', ecdhCurve: 'X25519:secp384r1' },
        { minVersion: 'TLSv1.3', ecdhCurve: 'X25519:secp384r1', resumed: true },
      ] as const) {
        const { socket } = await connectThrough(egress().socket, at);
        const secure = tls.connect({
          ...{ socket, servername: HOST, ca, ...more },
          ...('resumed' in more && session !== undefined ? { session } : {}),
        });
        secure.on('session', (given: Buffer) => (session = given));
        const text = (await drained(secure)).toString();
        assert.equal(text, 'over TLS');
        assert.equal(secure.isSessionReused(), 'resumed' in more);
        secure.destroy();
      }
      assert.deepEqual(new Set(names), new Set([HOST]));
    } finally {
      server?.close();
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
