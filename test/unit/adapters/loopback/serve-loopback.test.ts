import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { lstat, readdir, stat } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { serveLoopback, type LoopbackOptions } from '../../../../src/adapters/loopback/serve-loopback.js';
import { withTempDir } from '../../../support/files/temp-home.js';

/** Serves a real TCP target, and the socket that stands for it. */
function withLoopback<T>(
  onConnection: (socket: Socket) => void,
  options: Partial<LoopbackOptions>,
  work: (path: string, directory: string) => Promise<T>,
): Promise<T> {
  return withTempDir(async (directory) => {
    const open = new Set<Socket>();
    const target: Server = createServer({ allowHalfOpen: true }, (socket) => {
      open.add(socket);
      socket.on('error', () => undefined);
      onConnection(socket);
    });
    target.listen(0, '127.0.0.1');
    await once(target, 'listening');
    const { port } = target.address() as AddressInfo;
    const server = await serveLoopback({
      socketDir: directory,
      target: { host: '127.0.0.1', port },
      ...options,
    });
    try {
      return await work(server.socketPath, directory);
    } finally {
      await server.close();
      for (const socket of open) socket.destroy();
      target.close();
      assert.deepEqual(await readdir(directory), []);
    }
  });
}

const echo = (socket: Socket): void => void socket.pipe(socket);

describe('the socket that stands for a loopback forge', () => {
  it('carries bytes both ways, with the end of each direction', () =>
    withLoopback(echo, {}, async (path) => {
      const sent = randomBytes(2_000_000);
      const client = connect({ path, allowHalfOpen: true });
      client.end(sent);
      assert.ok((await buffer(client)).equals(sent));
    }));

  it('may be used by every user', () =>
    withLoopback(echo, {}, async (path) => {
      assert.equal((await stat(path)).mode & 0o777, 0o666);
      assert.ok((await lstat(path)).isSocket());
    }));

  it('closes connections beyond its limit and those on which nothing moves', () =>
    withLoopback(
      () => undefined,
      { maxConnections: 1, idleMs: 100 },
      async (path) => {
        const first = connect(path);
        await once(first, 'connect');
        const second = connect(path);
        second.on('error', () => undefined);
        await once(second, 'close');
        assert.equal(first.closed, false);
        first.resume();
        await once(first, 'close');
      },
    ));

  it('closes the connection when nobody listens at the target', () =>
    withTempDir(async (directory) => {
      const nobody = createServer().listen(0, '127.0.0.1');
      await once(nobody, 'listening');
      const { port } = nobody.address() as AddressInfo;
      nobody.close();
      await once(nobody, 'close');
      const server = await serveLoopback({ socketDir: directory, target: { host: '127.0.0.1', port } });
      const client = connect(server.socketPath);
      client.on('error', () => undefined);
      client.resume();
      await once(client, 'close');
      await server.close();
    }));

  it('ends every connection when it is closed', () =>
    withTempDir(async (directory) => {
      const target = createServer(echo).listen(0, '127.0.0.1');
      await once(target, 'listening');
      const { port } = target.address() as AddressInfo;
      const server = await serveLoopback({ socketDir: directory, target: { host: 'localhost', port } });
      const client = connect(server.socketPath);
      client.on('error', () => undefined);
      client.write('x');
      await once(client, 'data');
      const closed = once(client, 'close');
      await server.close();
      await closed;
      target.close();
      await once(target, 'close');
    }));

  it('replaces the one that a killed worker left', () =>
    withTempDir(async (directory) => {
      const path = join(directory, 'forge.sock');
      const script = `require("node:net").createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, "SIGKILL"))`;
      await once(spawn(process.execPath, ['-e', script]), 'exit');
      assert.ok((await lstat(path)).isSocket());
      const server = await serveLoopback({ socketDir: directory, target: { host: '127.0.0.1', port: 9 } });
      const client = connect(path);
      client.on('error', () => undefined);
      await once(client, 'connect');
      client.destroy();
      await server.close();
    }));

  it('stands for loopback addresses only', () =>
    withTempDir(async (directory) => {
      for (const host of ['10.0.0.1', 'example.org', '0.0.0.0']) {
        await assert.rejects(
          serveLoopback({ socketDir: directory, target: { host, port: 80 } }),
          /is not a loopback address/,
        );
      }
      await assert.rejects(
        serveLoopback({
          socketDir: join(directory, 'x'.repeat(120)),
          target: { host: '127.0.0.1', port: 80 },
        }),
        /too long for a socket/,
      );
    }));
});
