import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { globalOnly } from '../../../../src/bundle/egress/addresses.js';
import { until } from '../../../support/bundle/until.js';
import { ask, connectThrough, drained, openTunnel, rawOver } from '../../../support/egress/clients.js';
import { helloFor, SERVER_HELLO } from '../../../support/egress/hellos.js';
import { routeTo, withEgress } from '../../../support/egress/egress-here.js';
import {
  greeted,
  httpsUpstream,
  httpUpstream,
  stopUpstreams,
  tcpUpstream,
} from '../../../support/egress/upstreams.js';
import { privateCa } from '../../../support/gitea/tls-front.js';

const HOST = 'files.example.org';
const MIB = 1024 * 1024;

describe('the forward proxy: CONNECT', () => {
  const egress = withEgress();
  afterEach(stopUpstreams);

  /** A server under the host's name, and the host allowed there. */
  async function served(onSocket: (socket: Socket) => void): Promise<string> {
    const { port } = await tcpUpstream(greeted(onSocket));
    egress().names.set(HOST, ['127.0.0.1']);
    egress().allow(`${HOST}:${String(port)}`);
    return `${HOST}:${String(port)}`;
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

  it('carries TLS from end to end', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'egress-ca-'));
    try {
      const ca = await privateCa(dir, [`DNS:${HOST}`]);
      const { port } = await httpsUpstream(ca, (_request, response) => response.end('over TLS'));
      egress().names.set(HOST, ['127.0.0.1']);
      egress().allow(`${HOST}:${String(port)}`);
      await egress().start();
      const { socket } = await connectThrough(egress().socket, `${HOST}:${String(port)}`);
      const secure = tls.connect({ socket, servername: HOST, ca: [await readText(ca.caFile)] });
      secure.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
      let text = '';
      for await (const chunk of secure) text += String(chunk);
      assert.match(text, /over TLS/);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
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

  it('refuses a host that was taken from the allowlist while it was being connected to', async () => {
    const at = await served((socket) => socket.pipe(socket));
    await egress().start({
      network: {
        resolve: async () => {
          egress().allow();
          const isRead = (): boolean => egress().logged.some(({ message }) => message.endsWith('read again'));
          await until('the shorter list', () => (isRead() ? true : undefined));
          return ['127.0.0.1'];
        },
      },
    });
    const { status } = await connectThrough(egress().socket, at);
    assert.equal(status, 403);
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

  it('refuses at once what is not in the allowlist, with how to ask, and looks no name up', async () => {
    egress().allow(HOST);
    egress().names.set('evil.example', ['127.0.0.1']);
    await egress().start();
    for (const target of ['evil.example:443', `${HOST}:80`, `x.${HOST}:443`, `${HOST}.evil.example:443`]) {
      const { status, text } = await connectThrough(egress().socket, target);
      assert.equal(status, 403);
      assert.match(text, /is not in this bottle's allowlist/);
      assert.match(text, /\/etc\/bot-bottle\/current-config\/allowlist/);
      assert.match(text, /the operator decides/);
    }
    assert.deepEqual(egress().lookups, []);
  });

  it('refuses addresses and what is no host name, whatever the list says', async () => {
    egress().allow('*.example.org:1,443');
    await egress().start();
    const targets = [
      ...['127.0.0.1:443', '[::1]:443', '2130706433:443', '0x7f.1:443', '127.1:443', 'localhost:443'],
      ...['x.example.org.:443', 'x_.example.org:443', 'x..example.org:443', 'user@x.example.org:443'],
      ...['x.example.org', 'x.example.org:0', 'x.example.org:65536', 'x.example.org:443:443', ':443'],
      ...['http://x.example.org/', '/', '*'],
    ];
    for (const target of targets) {
      const { status } = await connectThrough(egress().socket, target);
      assert.ok(status === 403 || status === 400, `${target}: ${String(status)}`);
    }
    assert.deepEqual(egress().lookups, []);
  });

  it('takes a name in capitals for what it is', async () => {
    const at = await served((socket) => socket.end('hello'));
    await egress().start();
    const { status, socket } = await openTunnel(egress().socket, at.toUpperCase());
    assert.equal(status, 200);
    assert.equal((await drained(socket)).toString(), 'hello');
  });

  it("refuses a route's upstream, also when the allowlist has it, and names the route", async () => {
    egress().allow('*.example.org', HOST);
    egress().routes(routeTo(`https://${HOST}`));
    await egress().start();
    const { status, text } = await connectThrough(egress().socket, `${HOST}:443`);
    assert.equal(status, 403);
    assert.match(text, /through the route "files" only: http:\/\/127\.0\.0\.1:3129\/files\//);
    assert.deepEqual(egress().lookups, []);
  });

  it('refuses a name of which one address is private, and connects to none of them', async () => {
    let connections = 0;
    const at = await served(() => (connections += 1));
    egress().names.set(HOST, ['127.0.0.1', '1.1.1.1']);
    await egress().start({ network: { policy: globalOnly } });
    const { status, text } = await connectThrough(egress().socket, at);
    assert.equal(status, 403);
    assert.match(text, /127\.0\.0\.1, which is loopback/);
    assert.equal(connections, 0);
  });

  it('connects to the address it has checked: a second look-up never happens', async () => {
    const at = await served((socket) => socket.end('the first address'));
    let asked = 0;
    await egress().start({
      network: {
        // A name that is fine when it is checked, and somewhere else afterwards.
        resolve: () => Promise.resolve([(asked += 1) === 1 ? '127.0.0.1' : '127.0.0.2']),
        policy: (address) => address === '127.0.0.1',
      },
    });
    const { status, socket } = await openTunnel(egress().socket, at);
    assert.equal(status, 200);
    assert.equal((await drained(socket)).toString(), 'the first address');
    assert.equal(asked, 1);
  });

  it('says that a host cannot be reached, with 502', async () => {
    const { port } = await tcpUpstream(() => undefined);
    await stopUpstreams();
    egress().allow(`${HOST}:${String(port)}`, 'unknown.example.org');
    egress().names.set(HOST, ['127.0.0.1']);
    await egress().start();
    const closed = await connectThrough(egress().socket, `${HOST}:${String(port)}`);
    assert.equal(closed.status, 502);
    assert.match(closed.text, /ECONNREFUSED/);
    const unknown = await connectThrough(egress().socket, 'unknown.example.org:443');
    assert.equal(unknown.status, 502);
    assert.match(unknown.text, /has no address/);
  });

  it('tries the next address when one does not answer', async () => {
    const at = await served((socket) => socket.end('hello'));
    egress().names.set(HOST, ['127.0.0.9', '127.0.0.1']);
    await egress().start({ network: { policy: () => true } });
    const { status, socket } = await openTunnel(egress().socket, at);
    assert.equal(status, 200);
    assert.equal((await drained(socket)).toString(), 'hello');
  });

  it('keeps no more of a download than its client takes', async () => {
    const chunk = Buffer.alloc(MIB);
    let written = 0;
    const at = await served((socket) => {
      const more = (): void => {
        while (written < 256) {
          written += 1;
          if (!socket.write(chunk)) {
            socket.once('drain', more);
            return;
          }
        }
        socket.end();
      };
      more();
    });
    await egress().start();
    const { socket } = await openTunnel(egress().socket, at);
    // Nobody reads: the server must come to a stop long before it has sent everything.
    let before = -1;
    await until(
      'a server that waits',
      async () => {
        const now = written;
        await new Promise((resolve) => setTimeout(resolve, 100));
        const isStill = now === written && now === before;
        before = now;
        return isStill ? true : undefined;
      },
      20_000,
    );
    assert.ok(written < 64, `${String(written)} MiB were taken`);
    socket.destroy();
  });

  it('carries 200 connections at a time', async () => {
    const at = await served((socket) => socket.pipe(socket));
    await egress().start();
    const open = await Promise.all(Array.from({ length: 200 }, () => openTunnel(egress().socket, at)));
    assert.ok(open.every(({ status }) => status === 200));
    const echoes = await Promise.all(
      open.map(async ({ socket }, index) => {
        const got = drained(socket);
        socket.end(String(index));
        return (await got).toString();
      }),
    );
    assert.deepEqual(
      echoes,
      open.map((_, index) => String(index)),
    );
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

  it('keeps the last good allowlist when the new one makes no sense, and says so', async () => {
    const at = await served((socket) => socket.end('hello'));
    await egress().start();
    assert.equal((await connectThrough(egress().socket, at)).status, 200);
    egress().write('allowlist', 'evil.example\nhttps://this-is-none/\n');
    const line = await until('the complaint', () =>
      egress().logged.find(({ level, message }) => level === 'error' && message.includes('last good one')),
    );
    assert.match(String(line.fields['why']), /^line 2: /);
    assert.equal((await connectThrough(egress().socket, at)).status, 200);
    assert.equal((await connectThrough(egress().socket, 'evil.example:443')).status, 403);
  });

  it('allows nothing without a file', async () => {
    rmSync(join(egress().dir, 'config'), { recursive: true });
    await egress().start();
    assert.equal((await connectThrough(egress().socket, `${HOST}:443`)).status, 403);
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
});

describe('the forward proxy: plain HTTP', () => {
  const egress = withEgress();
  afterEach(stopUpstreams);

  it('asks in the name of the target, without what belongs to the connection', async () => {
    const { port } = await httpUpstream((request, response) => {
      response.setHeader('set-cookie', ['a=1', 'b=2']);
      response.setHeader('proxy-authenticate', 'Basic');
      response.end(JSON.stringify({ url: request.url, method: request.method, headers: request.headers }));
    });
    egress().names.set(HOST, ['127.0.0.1']);
    egress().allow(`${HOST}:${String(port)}`);
    await egress().start();
    const { status, text, headers } = await ask(
      egress().socket,
      `http://${HOST}:${String(port)}/a/../b?c=%20d`,
      {
        headers: {
          host: 'other.example',
          connection: 'keep-alive, x-mine',
          'x-mine': 'secret',
          'proxy-authorization': 'Basic abc',
          'proxy-connection': 'keep-alive',
          upgrade: 'h2c',
          'http2-settings': 'AAMAAABkAAQAAP__',
          te: 'trailers',
          'x-other': 'kept',
        },
      },
    );
    assert.equal(status, 200);
    assert.deepEqual(JSON.parse(text), {
      url: '/a/../b?c=%20d',
      method: 'GET',
      headers: { host: `${HOST}:${String(port)}`, 'x-other': 'kept', connection: 'close' },
    });
    assert.deepEqual(headers['set-cookie'], ['a=1', 'b=2']);
    assert.equal(headers['proxy-authenticate'], undefined);
  });

  it('carries bodies up and down, framed as bodies, whatever the method', async () => {
    const { port } = await httpUpstream((request, response) => {
      let size = 0;
      request.on('data', (chunk: Buffer) => (size += chunk.length));
      request.on('end', () => response.end(`${request.method ?? ''} ${String(size)}`));
    });
    egress().names.set(HOST, ['127.0.0.1']);
    egress().allow(`${HOST}:${String(port)}`);
    await egress().start();
    const url = `http://${HOST}:${String(port)}/`;
    for (const method of ['POST', 'PUT', 'GET', 'DELETE', 'PATCH']) {
      const body = Buffer.alloc(200_000, 'x');
      const known = await ask(egress().socket, url, {
        method,
        body,
        headers: { 'content-length': '200000' },
      });
      assert.equal(known.text, `${method} 200000`);
      const chunked = await ask(egress().socket, url, {
        method,
        body,
        headers: { 'transfer-encoding': 'chunked' },
      });
      assert.equal(chunked.text, `${method} 200000`);
    }
  });

  it('refuses what is not allowed, what is no absolute form, and other protocols', async () => {
    egress().allow(`${HOST}:80`);
    await egress().start();
    assert.equal((await ask(egress().socket, 'http://evil.example/')).status, 403);
    assert.equal((await ask(egress().socket, `http://${HOST}:81/`)).status, 403);
    assert.equal((await ask(egress().socket, 'http://127.0.0.1/')).status, 403);
    for (const path of [
      '/',
      '*',
      `https://${HOST}/`,
      `ftp://${HOST}/`,
      `http://u:p@${HOST}/`,
      `http://${HOST}\\@evil.example/`,
    ])
      assert.equal((await ask(egress().socket, path)).status, 400, path);
    assert.deepEqual(egress().lookups, []);
  });

  it('counts names and headers as bytes that go up', async () => {
    const { port } = await httpUpstream((_request, response) => response.end());
    egress().names.set(HOST, ['127.0.0.1']);
    egress().allow(`${HOST}:${String(port)}`);
    await egress().start({ uploadBytes: 5_000 });
    const url = `http://${HOST}:${String(port)}/${'x'.repeat(3_000)}`;
    assert.equal((await ask(egress().socket, url)).status, 200);
    assert.equal((await ask(egress().socket, url)).status, 403);
  });

  it('survives a server that answers nonsense', async () => {
    for (const answer of [
      'not HTTP at all\r\n\r\n',
      'HTTP/1.1 099 Low\r\ncontent-length: 0\r\n\r\n',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      'HTTP/1.1 200 OK\r\nbad header: x\r\n\r\n',
      `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`,
      '',
    ]) {
      const { port } = await tcpUpstream((socket) => {
        socket.resume();
        socket.end(answer);
      });
      egress().names.set(HOST, ['127.0.0.1']);
      egress().allow(`${HOST}:${String(port)}`);
      await egress().start();
      const { status } = await ask(egress().socket, `http://${HOST}:${String(port)}/`);
      assert.equal(status, 502, JSON.stringify(answer.slice(0, 40)));
      await egress().stop();
      await stopUpstreams();
    }
  });

  it('ends its answer early when the server does, and not as if it were whole', async () => {
    const { port } = await tcpUpstream((socket) => {
      socket.resume();
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf');
      socket.end();
    });
    egress().names.set(HOST, ['127.0.0.1']);
    egress().allow(`${HOST}:${String(port)}`);
    await egress().start();
    await assert.rejects(
      ask(egress().socket, `http://${HOST}:${String(port)}/`),
      /aborted|hang up|ECONNRESET/,
    );
  });

  it('stops asking when its client has gone', async () => {
    let closed = false;
    const { port } = await httpUpstream((request) => {
      request.socket.once('close', () => (closed = true));
    });
    egress().names.set(HOST, ['127.0.0.1']);
    egress().allow(`${HOST}:${String(port)}`);
    await egress().start();
    const client = connect(egress().socket);
    client.write(`GET http://${HOST}:${String(port)}/ HTTP/1.1\r\nhost: x\r\n\r\n`);
    await until('the request', () => (egress().lookups.length > 0 ? true : undefined));
    client.destroy();
    await until('the end of it', () => (closed ? true : undefined));
  });
});

async function readText(file: string): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  return readFile(file, 'utf8');
}
