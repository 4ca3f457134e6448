import { rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { listenUnix } from './listen-unix.js';

export interface SocketDoorOptions {
  readonly socketPath: string;
  readonly maxConnections: number;
  /** A client that has ended its side may still be answered. */
  readonly allowHalfOpen: boolean;
}

/**
 * A listening Unix socket and its connections. They are made paused, since what takes them may still be loading, and have
 * an error handler, since an error that nobody handles ends the process.
 */
export class SocketDoor {
  readonly #socketPath: string;
  readonly #server: Server;
  readonly #connections = new Set<Socket>();

  /** @param onConnection takes the paused socket; it must resume it */
  constructor(
    { socketPath, maxConnections, allowHalfOpen }: SocketDoorOptions,
    onConnection: (socket: Socket) => void,
  ) {
    this.#socketPath = socketPath;
    this.#server = createServer({ pauseOnConnect: true, allowHalfOpen }, (socket) => {
      this.#connections.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => this.#connections.delete(socket));
      onConnection(socket);
    });
    this.#server.maxConnections = maxConnections;
  }

  /** Errors: the file system's own. */
  open(): Promise<void> {
    return listenUnix(this.#server, this.#socketPath);
  }

  /** Accepts nothing more and removes the socket; connections on which something was said have until `graceMs`. */
  async close(graceMs: number): Promise<void> {
    rmSync(this.#socketPath, { force: true });
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
    });
    for (const socket of this.#connections) if (socket.bytesRead === 0) socket.destroy();
    const timer = setTimeout(() => {
      for (const socket of this.#connections) socket.destroy();
    }, graceMs);
    await closed;
    clearTimeout(timer);
  }
}

/** Node's documented way to give a server a connection that was accepted elsewhere: its event "connection". */
export function handOver(server: Server, socket: Socket): void {
  if (socket.destroyed) return;
  server.emit('connection', socket);
  socket.resume();
}
