import { once } from 'node:events';
import { createServer, STATUS_CODES } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** Milliseconds; what a slow or silent client may take. */
export interface ListenLimits {
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly keepAliveTimeout: number;
  readonly checkInterval: number;
  readonly maxConnections: number;
}

/** Gitea gives a delivery 5 s by default: a request that takes twice that comes from somebody else. */
export const DEFAULT_LIMITS: ListenLimits = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 30_000,
  checkInterval: 1_000,
  maxConnections: 512,
};

/** What is answered to what is no request. */
export type MalformedAnswer = (status: 400 | 408 | 431) => { readonly type: string; readonly body: object };

const MALFORMED: MalformedAnswer = () => ({
  type: 'application/json',
  body: { status: 'malformed', reason: 'the request is not complete and well-formed HTTP' },
});

export interface Listening {
  /** `http://127.0.0.1:8080`, with the port that was really taken. */
  readonly url: string;
  readonly port: number;
  /** Stops accepting, lets running requests end, cuts idle connections; all others after the grace. */
  close(graceMs?: number): Promise<void>;
}

/** Starts the HTTP server with bounded times, header sizes and connections. Errors: the socket's (`EADDRINUSE`…). */
export async function listen(
  handler: RequestListener,
  address: { readonly host: string; readonly port: number },
  limits: ListenLimits = DEFAULT_LIMITS,
  malformed: MalformedAnswer = MALFORMED,
): Promise<Listening> {
  const server = createServer(
    {
      headersTimeout: limits.headersTimeout,
      requestTimeout: limits.requestTimeout,
      keepAliveTimeout: limits.keepAliveTimeout,
      connectionsCheckingInterval: limits.checkInterval,
      maxHeaderSize: 16 * 1024,
    },
    handler,
  );
  server.maxConnections = limits.maxConnections;
  server.on('clientError', (error, socket) => {
    refuseBrokenRequest(error, socket, malformed);
  });
  server.listen(address.port, address.host);
  await once(server, 'listening');
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : address.port;
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return { url: `http://${host}:${String(port)}`, port, close: (graceMs = 5_000) => close(server, graceMs) };
}

/** Half a request, or none: the parser's word for it decides the answer, and the connection ends. */
function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex, malformed: MalformedAnswer): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
  const { type, body } = malformed(status);
  const text = JSON.stringify(body);
  socket.end(
    `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\nContent-Type: ${type}; charset=utf-8\r\n` +
      `Content-Length: ${String(Buffer.byteLength(text))}\r\n\r\n${text}`,
  );
}

function close(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      server.closeAllConnections();
    }, graceMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
