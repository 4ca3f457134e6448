import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listenUnix } from '../../../../src/bundle/base/listen-unix.js';

describe('listening on a Unix socket', () => {
  let directory: string;
  let socketPath: string;
  let server: Server;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'listen-unix-'));
    socketPath = join(directory, 'forge.sock');
    server = createServer((socket) => socket.end('here'));
  });
  afterEach(async () => {
    if (server.listening) await new Promise((resolve) => server.close(resolve));
    rmSync(directory, { recursive: true, force: true });
  });

  const answer = async (): Promise<string> => {
    const chunks: unknown[] = [];
    for await (const chunk of connect(socketPath)) chunks.push(chunk);
    return chunks.join('');
  };

  it('lets everybody in, under the one name that was asked for', async () => {
    await listenUnix(server, socketPath);
    assert.equal(statSync(socketPath).mode & 0o777, 0o666);
    assert.deepEqual(readdirSync(directory), ['forge.sock']);
    assert.equal(await answer(), 'here');
  });

  it('takes the place of whatever lies there, and of what a killed predecessor had begun', async () => {
    writeFileSync(socketPath, 'stale');
    writeFileSync(join(directory, '.forge.sock.new'), 'half done');
    await listenUnix(server, socketPath);
    assert.equal(await answer(), 'here');
  });

  it('fails where it cannot listen', async () => {
    await assert.rejects(listenUnix(server, join(directory, 'missing', 'forge.sock')));
  });

  it('outlives a connection that could not be accepted', async () => {
    await listenUnix(server, socketPath);
    server.emit('error', new Error('EMFILE'));
    assert.equal(await answer(), 'here');
  });

  it('is replaced without a gap: the next one listens while the last is still there', async () => {
    const last = createServer();
    await listenUnix(last, socketPath);
    await listenUnix(server, socketPath);
    assert.equal(await answer(), 'here');
    last.close();
    await once(last, 'close');
  });
});
