/** Servers of tests: on a free loopback port, and gone with all their connections. */
import type { Server } from 'node:http';
import { Server as TlsServer } from 'node:https';

/** @param socketPath instead of a port. Errors: the server's own. */
export function listenLocally(server: Server | TlsServer, socketPath?: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    if (socketPath === undefined) server.listen(0, '127.0.0.1', resolve);
    else server.listen(socketPath, resolve);
  });
}

export function urlOf(server: Server | TlsServer): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not on a port');
  return `${server instanceof TlsServer ? 'https' : 'http'}://127.0.0.1:${String(address.port)}`;
}

export async function closeServer(server: Server | TlsServer): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
  });
}
