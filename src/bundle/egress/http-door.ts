import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Deadlines } from '../base/deadlines.js';
import { handOver } from '../base/socket-door.js';
import { IDLE_MS, MAX_HEADER_BYTES } from './limits.js';

export interface HttpDoorHandlers {
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** CONNECT. Without it the method is refused. */
  readonly onConnect?: (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>;
  /** One of these has failed, and its client has been cut off. */
  readonly onFault: (error: unknown) => void;
}

/** Until a request's head is here whole, ms; of one that follows another, once the connection could be idle no longer. */
const HEAD_MS = 30_000;
/** Between two requests of a client that keeps its connection, ms. */
const KEEP_ALIVE_MS = 60_000;

/**
 * Node's HTTP server for connections that a `SocketDoor` accepted. Its parser is the strict one: both content-length and
 * transfer-encoding, two lengths, spaces before colons and bare line feeds are answered with 400 and the end of the
 * connection. A request that comes before the answer to the one before has ended is the end of it, too: else one connection
 * would be as many exchanges as its client likes.
 */
export function httpDoor({ onRequest, onConnect, onFault }: HttpDoorHandlers): (socket: Socket) => void {
  const server: Server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, insecureHTTPParser: false });
  server.timeout = IDLE_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const heads = new Deadlines();
  const latest = new WeakMap<Duplex, ServerResponse>();
  /** Once the answer before is sent: a client may have the whole of it a moment before that is known here. */
  const inTurn = (socket: Duplex, next: () => void): void => {
    const before = latest.get(socket);
    const goOn = (): void => {
      if (!socket.destroyed) next();
    };
    if (before === undefined || before.closed) goOn();
    else if (before.writableEnded) before.once('close', goOn);
    else socket.destroy();
  };
  server.on('request', (request, response) => {
    const { socket } = request;
    heads.clear(socket);
    // A client that goes away in the middle must not end the process.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    inTurn(socket, () => {
      onRequest(request, response).catch((error: unknown) => {
        onFault(error);
        response.destroy();
      });
    });
    // One that waits is not ended: the next behind it is the end of the connection.
    latest.set(socket, response);
    response.once('close', () => {
      if (latest.get(socket) === response && !socket.destroyed) heads.set(socket, KEEP_ALIVE_MS + HEAD_MS);
    });
  });
  server.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    heads.clear(socket);
    if (latest.get(socket)?.closed === false) socket.destroy();
    if (socket.destroyed) return;
    if (onConnect === undefined) {
      socket.end('HTTP/1.1 405 Method Not Allowed\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    onConnect(request, socket, head).catch((error: unknown) => {
      onFault(error);
      socket.destroy();
    });
  });
  return (socket) => {
    if (!socket.destroyed) heads.set(socket, HEAD_MS);
    handOver(server, socket);
  };
}
