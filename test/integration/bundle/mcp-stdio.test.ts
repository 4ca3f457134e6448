import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { SHIM } from '../../support/bundle/mcp-clients.js';
import { BundleHere } from '../../support/bundle/running-bundle.js';
import { until } from '../../support/bundle/until.js';

const PING = '{"jsonrpc":"2.0","id":"p","method":"ping"}';

class Shim {
  stdout = '';
  stderr = '';
  readonly exited: Promise<number | null>;
  readonly #child;

  constructor(socket: string, patienceMs = 5000) {
    this.#child = spawn(process.execPath, [SHIM], {
      env: {
        PATH: process.env['PATH'],
        BOTTLE_FORGE_SOCKET: socket,
        BOTTLE_MCP_PATIENCE_MS: String(patienceMs),
      },
    });
    this.#child.stdout.setEncoding('utf8').on('data', (chunk: string) => (this.stdout += chunk));
    this.#child.stderr.setEncoding('utf8').on('data', (chunk: string) => (this.stderr += chunk));
    this.#child.stdin.on('error', () => undefined);
    this.exited = new Promise((resolve) => this.#child.once('close', resolve));
  }

  write(text: string | Buffer): void {
    this.#child.stdin.write(text);
  }

  end(): Promise<number | null> {
    this.#child.stdin.end();
    return this.exited;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** The n-th message that came. */
  message(index: number): Promise<Readonly<Record<string, unknown>>> {
    return until(`message ${String(index)}; standard error: ${this.stderr}`, () => {
      const line = this.stdout.split('\n').slice(0, -1)[index];
      return line === undefined ? undefined : (JSON.parse(line) as Readonly<Record<string, unknown>>);
    });
  }
}

describe('the MCP shim on standard input and output', () => {
  let bundle: BundleHere;
  let shim: Shim;
  let server: Server | undefined;

  beforeEach(() => (bundle = new BundleHere()));
  afterEach(async () => {
    shim.kill();
    await shim.exited;
    server?.closeAllConnections();
    server?.close();
    server = undefined;
    await bundle.remove();
  });

  const pong = { result: {}, jsonrpc: '2.0', id: 'p' };

  it('answers what is under way and ends when its input ends', async () => {
    await bundle.start();
    shim = new Shim(bundle.run.socket);
    shim.write(`${PING}\n`);
    assert.equal(await shim.end(), 0);
    assert.deepEqual(await shim.message(0), pong);
    assert.equal(shim.stderr, '');
  });

  it('takes a last line without its end, lines in pieces, several at once and empty ones', async () => {
    await bundle.start();
    shim = new Shim(bundle.run.socket);
    shim.write(`\n${PING.slice(0, 9)}`);
    shim.write(`${PING.slice(9)}\r\n${PING}\n\n`);
    await shim.message(1);
    shim.write(PING);
    assert.equal(await shim.end(), 0);
    assert.deepEqual(await shim.message(2), pong);
  });

  it('ends with its input although a call is held', async () => {
    await bundle.start();
    shim = new Shim(bundle.run.socket);
    const params = { name: 'open_pr', arguments: { title: 'T', body: '' } };
    shim.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`);
    await bundle.run.request(0);
    assert.equal(await shim.end(), 0);
  });

  it('says on standard error at once that there is no socket, and which', async () => {
    shim = new Shim(bundle.run.socket, 300);
    shim.write(`${PING}\n`);
    await until('the complaint', () => (shim.stderr === '' ? undefined : true));
    assert.ok(shim.stderr.startsWith(`bottle mcp: there is no socket at ${bundle.run.socket}; trying again`));
    const { id, error } = await shim.message(0);
    assert.equal(id, 'p');
    assert.match(JSON.stringify(error), /No answer from the helper: there is no socket/);
  });

  it('waits for a socket that is not there yet', async () => {
    shim = new Shim(bundle.run.socket);
    shim.write(`${PING}\n`);
    await until('the complaint', () => (shim.stderr === '' ? undefined : true));
    await bundle.start();
    assert.deepEqual(await shim.message(0), pong);
  });

  it('drops a line that is too long and answers the next', async () => {
    await bundle.start();
    shim = new Shim(bundle.run.socket);
    shim.write(Buffer.alloc(9 * 1024 * 1024, 'x'));
    shim.write(`\n${PING}\n`);
    assert.match(JSON.stringify(await shim.message(0)), /"id":null.*a message has at most/);
    assert.deepEqual(await shim.message(1), pong);
  });

  it('answers what is no message, in place of the sidecar', async () => {
    await bundle.start();
    shim = new Shim(bundle.run.socket);
    for (const line of ['{', '5', 'null', '[]', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]'])
      shim.write(`${line}\n`);
    for (const index of [0, 1, 2, 3, 4]) {
      assert.match(JSON.stringify(await shim.message(index)), /"id":null,"error":\{"code":-32[67]00/);
    }
  });

  it('gives a refusal of the sidecar the id that was asked with', async () => {
    await bundle.start();
    shim = new Shim(bundle.run.socket);
    shim.write('{"id":7,"method":"ping"}\n');
    assert.match(JSON.stringify(await shim.message(0)), /"id":7,"error":\{"code":-32600/);
  });

  it('passes on what is told during a call, and asks again when the stream breaks off', async () => {
    let asked = 0;
    server = createServer((request, response) => {
      request.resume();
      asked += 1;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(
        ': alive\n\nevent: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n',
      );
      if (asked === 1) response.destroy();
      else if (asked === 2) response.end();
      else response.end(`event: message\ndata: ${JSON.stringify(pong)}\n\n`);
    });
    const socket = join(bundle.run.root, 'stub.sock');
    server.listen(socket);
    await once(server, 'listening');
    shim = new Shim(socket);
    shim.write(`${PING}\n`);
    const messages = await until('the answer', () => {
      const lines = shim.stdout.split('\n').slice(0, -1);
      return lines.some((line) => line.includes('"result"')) ? lines : undefined;
    });
    assert.deepEqual(JSON.parse(messages.at(-1) ?? ''), pong);
    assert.ok(messages.length > 1);
    assert.equal(asked, 3);
  });
});
