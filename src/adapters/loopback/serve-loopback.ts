import { once } from 'node:events';
import { chmod, mkdir, rename, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { InvalidInputError } from '../../domain/base/errors.js';
import { isLoopbackHost } from '../../domain/base/loopback.js';

export interface LoopbackOptions {
  /** Directory that is mounted read-only into bundles. */
  readonly socketDir: string;
  readonly target: { readonly host: string; readonly port: number };
  /** Connections at a time; more are closed at once. */
  readonly maxConnections?: number;
  /** A connection on which nothing moves for so long is closed, milliseconds. */
  readonly idleMs?: number;
}

export interface LoopbackServer {
  readonly socketPath: string;
  /** Ends every connection and removes the socket. */
  close(): Promise<void>;
}

const SOCKET_NAME = 'forge.sock';
/** Linux: `sun_path`, with its closing zero. */
const MAX_PATH_BYTES = 107;

/**
 * Stands for a forge on the host's loopback: forwards bytes from a Unix socket to exactly one configured loopback
 * address, so that bundles reach the forge and nothing else that listens there.
 * Only one process of a home does, the one that holds its lock. Errors: `InvalidInputError` for another target or a path that
 * is too long.
 */
export async function serveLoopback(options: LoopbackOptions): Promise<LoopbackServer> {
  const { socketDir, target, maxConnections = 128, idleMs = 120_000 } = options;
  if (!isLoopbackHost(target.host)) throw new InvalidInputError(`${target.host} is not a loopback address`);
  const socketPath = join(socketDir, SOCKET_NAME);
  const temporary = join(socketDir, `.${SOCKET_NAME}.new`);
  if (Buffer.byteLength(temporary) > MAX_PATH_BYTES) {
    throw new InvalidInputError(`${socketPath} is too long for a socket: use a shorter home`);
  }
  await mkdir(socketDir, { recursive: true, mode: 0o755 });
  await rm(temporary, { force: true });

  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    forward(client, target, idleMs, open);
  });
  server.maxConnections = maxConnections;
  server.listen(temporary);
  await once(server, 'listening');
  await chmod(temporary, 0o666);
  // Whoever sees the name can connect; one that a killed worker left is replaced.
  await rename(temporary, socketPath);
  return {
    socketPath,
    async close() {
      await rm(socketPath, { force: true });
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

function forward(
  client: Socket,
  target: { readonly host: string; readonly port: number },
  idleMs: number,
  open: Set<Socket>,
): void {
  const upstream = connect({ ...target, allowHalfOpen: true });
  const end = (): void => {
    client.destroy();
    upstream.destroy();
  };
  upstream.once('connect', () => {
    // `localhost` is whatever the resolver says.
    if (!isLoopbackHost(upstream.remoteAddress ?? '')) end();
  });
  for (const socket of [client, upstream]) {
    open.add(socket);
    socket.setTimeout(idleMs, end);
    socket.on('error', end);
    socket.once('close', () => {
      open.delete(socket);
      if (open.has(client) || open.has(upstream)) closeAfter(socket === client ? upstream : client);
    });
  }
  client.pipe(upstream);
  upstream.pipe(client);
}

/** The other side is gone: what is still to be written is written, then this side closes as well. */
function closeAfter(socket: Socket): void {
  socket.end(() => socket.destroy());
}
