import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { SERVER_HELLO } from './hellos.js';

/** Servers on loopback that a test started; all closed by `stopUpstreams`. */
const started = new Set<net.Server>();

export interface Upstream {
  readonly port: number;
  readonly url: string;
}

export function httpUpstream(listener: http.RequestListener): Promise<Upstream> {
  return listen(http.createServer(listener), 'http');
}

export function httpsUpstream(
  keys: { readonly key: Buffer; readonly cert: Buffer },
  listener: http.RequestListener,
): Promise<Upstream> {
  return listen(https.createServer({ key: keys.key, cert: keys.cert }, listener), 'https');
}

/** Bytes as they come, half-closed connections included. */
export function tcpUpstream(onSocket: (socket: net.Socket) => void): Promise<Upstream> {
  return listen(
    net.createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => undefined);
      onSocket(socket);
    }),
    'tcp',
  );
}

/** A server that takes a client's TLS hello for good, answers with its own, and then does what the test says. */
export function greeted(onSocket: (socket: net.Socket) => void): (socket: net.Socket) => void {
  return (socket) => {
    let hello = Buffer.alloc(0);
    const more = (chunk: Buffer): void => {
      hello = Buffer.concat([hello, chunk]);
      const size = hello.length < 5 ? Infinity : 5 + hello.readUInt16BE(3);
      if (hello.length < size) return;
      socket.off('data', more).pause();
      if (hello.length > size) socket.unshift(hello.subarray(size));
      socket.write(SERVER_HELLO);
      onSocket(socket);
      if (socket.listenerCount('data') > 0) socket.resume();
    };
    socket.on('data', more);
  };
}

async function listen(server: net.Server, scheme: string): Promise<Upstream> {
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.once('close', () => started.delete(server));
  cutters.set(server, () => {
    for (const socket of sockets) socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  started.add(server);
  const { port } = server.address() as AddressInfo;
  return { port, url: `${scheme}://127.0.0.1:${String(port)}` };
}

const cutters = new WeakMap<net.Server, () => void>();

export async function stopUpstreams(): Promise<void> {
  await Promise.all(
    [...started].map(
      (server) =>
        new Promise<void>((resolve) => {
          server.close(() => {
            resolve();
          });
          cutters.get(server)?.();
        }),
    ),
  );
}
