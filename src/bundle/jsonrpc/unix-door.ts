import { rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { listenUnix } from '../base/listen-unix.js';

export interface UnixDoorOptions {
  readonly socketPath: string;
  readonly maxConnections: number;
  /** A connection whose request has not arrived whole by then is dropped, ms. */
  readonly requestTimeoutMs: number;
}

/**
 * The listening Unix socket and its connections. Each carries one request: made paused, handed on, closed after the
 * answer.
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
    await listenUnix(this.#server, this.#options.socketPath);
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
