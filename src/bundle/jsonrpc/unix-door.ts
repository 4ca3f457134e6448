import { chmodSync, renameSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { basename, dirname, join } from 'node:path';

export interface UnixDoorOptions {
  readonly socketPath: string;
  readonly maxConnections: number;
  /** A connection whose request has not arrived whole by then is dropped, ms. */
  readonly requestTimeoutMs: number;
}

const SOCKET_MODE = 0o666;

/**
 * The listening Unix socket and its connections. Each carries one request: made paused, handed on, closed after the
 * answer. `open` puts the socket in place under another name and renames it, so whoever sees it can connect, and a
 * stale one of a killed predecessor is replaced.
 */
export class UnixDoor {
  readonly #options: UnixDoorOptions;
  readonly #server: Server;
  readonly #deadlines = new Map<Socket, NodeJS.Timeout | undefined>();

  /** @param onConnection takes the paused socket; it must resume it */
  constructor(options: UnixDoorOptions, onConnection: (socket: Socket) => void) {
    this.#options = options;
    this.#server = createServer({ pauseOnConnect: true }, (socket) => {
      this.#admit(socket);
      onConnection(socket);
    });
    this.#server.maxConnections = options.maxConnections;
  }

  async open(): Promise<void> {
    const { socketPath } = this.#options;
    const temporary = join(dirname(socketPath), `.${basename(socketPath)}.new`);
    rmSync(temporary, { force: true });
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(temporary, resolve);
    });
    chmodSync(temporary, SOCKET_MODE);
    renameSync(temporary, socketPath);
  }

  /** The request is here whole: from now on the connection may be silent as long as the answer takes. */
  requestArrived(socket: Socket): void {
    clearTimeout(this.#deadlines.get(socket));
    this.#deadlines.set(socket, undefined);
  }

  /** The answer is written: a client that does not take it is dropped. */
  answered(socket: Socket): void {
    if (!this.#deadlines.has(socket)) return;
    this.#setDeadline(socket);
    // Who waits for the end of the stream would keep the connection until the deadline.
    socket.end();
  }

  /** Accepts nothing more and removes the socket; connections with a request under way have until `graceMs`. */
  async close(graceMs: number): Promise<void> {
    rmSync(this.#options.socketPath, { force: true });
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
    });
    for (const [socket, deadline] of this.#deadlines)
      if (deadline !== undefined && socket.bytesRead === 0) socket.destroy();
    const timer = setTimeout(() => {
      for (const socket of this.#deadlines.keys()) socket.destroy();
    }, graceMs);
    await closed;
    clearTimeout(timer);
  }

  #admit(socket: Socket): void {
    this.#setDeadline(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      clearTimeout(this.#deadlines.get(socket));
      this.#deadlines.delete(socket);
    });
  }

  #setDeadline(socket: Socket): void {
    clearTimeout(this.#deadlines.get(socket));
    this.#deadlines.set(
      socket,
      setTimeout(() => socket.destroy(), this.#options.requestTimeoutMs),
    );
  }
}
