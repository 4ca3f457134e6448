import { rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { listenUnix } from '../base/listen-unix.js';

export interface ProxyDoorOptions {
  readonly socketPath: string;
  readonly maxConnections: number;
}

/**
 * A listening Unix socket whose connections live as long as their clients want. They are made paused and handed on with
 * an error handler, since an error that nobody handles ends the process.
 */
export class ProxyDoor {
  readonly #socketPath: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  /** @param onConnection takes the paused socket */
  constructor({ socketPath, maxConnections }: ProxyDoorOptions, onConnection: (socket: Socket) => void) {
    this.#socketPath = socketPath;
    this.#server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => this.#sockets.delete(socket));
      onConnection(socket);
    });
    this.#server.maxConnections = maxConnections;
  }

  open(): Promise<void> {
    return listenUnix(this.#server, this.#socketPath);
  }

  /** Removes the socket and cuts every connection. */
  async close(): Promise<void> {
    rmSync(this.#socketPath, { force: true });
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
    });
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
