import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { until } from '../../../../support/bundle/until.js';
import { ask } from '../../../../support/egress/clients.js';
import { withEgress, type EgressHere } from '../../../../support/egress/egress-here.js';
import { HOST } from '../../../../support/egress/tunnels.js';
import { allSentFirst, largePost } from '../../../../support/http/all-sent-first.js';
import { httpUpstream, stopUpstreams, tcpUpstream } from '../../../../support/egress/upstreams.js';

describe('the forward proxy: plain HTTP', () => {
  const egress = withEgress();
  afterEach(stopUpstreams);

  /** The proxy with a way to this port of the host. @returns the host's address there */
  async function opened(port: number, options: Parameters<EgressHere['start']>[0] = {}): Promise<string> {
    egress().names.set(HOST, ['127.0.0.1']);
    egress().allow(`${HOST}:${String(port)}`);
    await egress().start(options);
    return `http://${HOST}:${String(port)}/`;
  }

  it('asks in the name of the target, without what belongs to the connection', async () => {
    const { port } = await httpUpstream((request, response) => {
      response.setHeader('set-cookie', ['a=1', 'b=2']);
      response.setHeader('proxy-authenticate', 'Basic');
      response.end(JSON.stringify({ url: request.url, method: request.method, headers: request.headers }));
    });
    const url = await opened(port);
    const { status, text, headers } = await ask(egress().socket, `${url}a/../b?c=%20d`, {
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
    });
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
    const url = await opened(port);
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
    const url = (await opened(port, { uploadBytes: 5_000 })) + 'x'.repeat(3_000);
    assert.equal((await ask(egress().socket, url)).status, 200);
    assert.equal((await ask(egress().socket, url)).status, 403);
  });

  it('is heard when the upload limit is reached, by a client that first sends everything', async () => {
    const { port } = await httpUpstream((request) => request.resume());
    const url = await opened(port, { uploadBytes: 5_000 });
    const post = largePost(url, 20_000_000, 'length');
    assert.match(await allSentFirst({ path: egress().socket }, post), /^HTTP\/1\.1 403 [^]*upload limit/);
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
      const url = await opened(port);
      const { status } = await ask(egress().socket, url);
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
    const url = await opened(port);
    await assert.rejects(ask(egress().socket, url), /aborted|hang up|ECONNRESET/);
  });

  it('stops asking when its client has gone', async () => {
    let closed = false;
    const { port } = await httpUpstream((request) => {
      request.socket.once('close', () => (closed = true));
    });
    const url = await opened(port);
    const client = connect(egress().socket);
    client.write(`GET ${url} HTTP/1.1\r\nhost: x\r\n\r\n`);
    await until('the request', () => (egress().lookups.length > 0 ? true : undefined));
    client.destroy();
    await until('the end of it', () => (closed ? true : undefined));
  });

  it('refuses a body whose end it does not know, and asks nobody', async () => {
    egress().allow(`${HOST}:80`);
    await egress().start();
    const headers = { 'transfer-encoding': 'gzip, chunked' };
    const { status, text } = await ask(egress().socket, `http://${HOST}/`, {
      method: 'POST',
      headers,
      body: 'x',
    });
    assert.equal(status, 400);
    assert.match(text, /the only transfer coding is chunked/);
    assert.deepEqual(egress().lookups, []);
  });

  it('writes one line a request, with its bytes', async () => {
    const { port } = await httpUpstream((_request, response) => response.end('12345'));
    const url = await opened(port);
    await ask(egress().socket, `${url}a`, { headers: { host: HOST, 'x-a': 'b' } });
    const [line] = await egress().lines(1);
    // The path, and each header with its colon, space and line end; the name of the host is our own.
    const up = '/a'.length + 'x-a: b\r\n'.length;
    assert.deepEqual(
      { ...line, ms: 0 },
      {
        ...{ method: 'GET', host: HOST, port, verdict: 'allowed', how: 'done' },
        ...{ up, down: 5, ms: 0 },
      },
    );
  });
});
