import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { JoinedBytes } from '../../domain/base/joined-bytes.js';
import { Deadlines } from '../base/deadlines.js';
import { answerLast } from '../base/last-answer.js';
import { handOver, SocketDoor } from '../base/socket-door.js';

export interface HttpUnixLimits {
  /** Largest request body, bytes. */
  readonly maxBodyBytes: number;
  readonly maxConnections: number;
  /** Time for a whole request to arrive, ms. How long its answer takes is not limited. */
  readonly requestTimeoutMs: number;
}

export const DEFAULT_HTTP_LIMITS: HttpUnixLimits = {
  maxBodyBytes: 1024 * 1024,
  maxConnections: 32,
  requestTimeoutMs: 30_000,
};

/** Answers a POST on the response it is given, whenever that is. Must not throw. */
export type OnPost = (body: string, request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface HttpUnixOptions {
  readonly socketPath: string;
  /** By path, such as `/mcp`; what is not in here is answered 404. */
  readonly posts: ReadonlyMap<string, OnPost>;
  readonly limits?: Partial<HttpUnixLimits>;
}

export interface HttpUnixServer {
  /** Accepts nothing more and removes the socket; calls under way have until `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/**
 * Serves what is posted to the paths given, and liveness as `GET /healthz`, on a Unix socket of mode 0666. Resolves as soon as
 * the socket accepts: `node:http` takes as long to load as everything else here together, so it is loaded while the
 * first connections wait. One request a connection.
 */
export async function serveHttpOnUnixSocket(options: HttpUnixOptions): Promise<HttpUnixServer> {
  const limits = { ...DEFAULT_HTTP_LIMITS, ...options.limits };
  const { socketPath } = options;
  const { maxConnections, requestTimeoutMs } = limits;
  const deadlines = new Deadlines();
  const door = new SocketDoor({ socketPath, maxConnections, allowHalfOpen: false }, (socket) => {
    deadlines.set(socket, requestTimeoutMs);
    void http.then((server) => {
      handOver(server, socket);
    });
  });
  await door.open();
  const http = loadHttp((request, response) => {
    const { socket } = request;
    // Not when the client has it, which is never if it does not read.
    response.once('prefinish', () => {
      if (socket.destroyed) return;
      deadlines.set(socket, requestTimeoutMs);
      // Who waits for the end of the stream would keep the connection until the deadline.
      socket.end();
    });
    const onArrived = (): void => {
      // From now on the connection may be silent as long as the answer takes.
      deadlines.clear(socket);
    };
    void handle(request, response, onArrived, options, limits);
  });
  return { close: (graceMs) => door.close(graceMs) };
}

/** JSON-RPC in a POST. @param onMessage answers its body; `undefined` is 204. Must not throw. */
export function jsonRpcPost(onMessage: (body: string) => Promise<string | undefined>): OnPost {
  return async (body, _request, response) => {
    const text = await onMessage(body);
    if (text !== undefined) answerJson(response, 200, text);
    else if (!response.destroyed) response.writeHead(204).end();
  };
}

async function loadHttp(
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Server> {
  const { createServer } = await import('node:http');
  const server = createServer(listener);
  server.maxRequestsPerSocket = 1;
  return server;
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  onArrived: () => void,
  options: HttpUnixOptions,
  limits: HttpUnixLimits,
): Promise<void> {
  const [path = ''] = (request.url ?? '').split('?', 1);
  if (path === '/healthz') {
    if (request.method !== 'GET') refuse(request, response, 405, 'use GET', { allow: 'GET' });
    else answerJson(response, 200, '{"status":"ok"}');
    return;
  }
  const onPost = options.posts.get(path);
  if (onPost === undefined) {
    const served = [...options.posts.keys()].map((each) => `POST ${each}`);
    refuse(request, response, 404, `there is ${[...served, 'GET /healthz'].join(', ')}`);
    return;
  }
  const refusal = refusalOf(request, limits.maxBodyBytes);
  if (refusal !== undefined) {
    refuse(request, response, ...refusal);
    return;
  }
  const body = await readBody(request, limits.maxBodyBytes);
  if (body === 'aborted') return;
  if (body === 'too large') {
    refuse(request, response, ...tooLarge(limits.maxBodyBytes));
    return;
  }
  onArrived();
  await onPost(new TextDecoder('utf-8', { ignoreBOM: true }).decode(body), request, response);
}

type Refusal = readonly [status: number, why: string, headers?: Readonly<Record<string, string>>];

function refusalOf(request: IncomingMessage, maxBytes: number): Refusal | undefined {
  if (request.method !== 'POST') return [405, 'use POST', { allow: 'POST' }];
  if (!isPlainJson(request)) return [415, 'the body must be application/json, not encoded'];
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return tooLarge(maxBytes);
  return undefined;
}

function tooLarge(maxBytes: number): Refusal {
  return [413, `a request has at most ${String(maxBytes)} bytes`];
}

function isPlainJson(request: IncomingMessage): boolean {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  const encoding = request.headers['content-encoding'];
  return type === 'application/json' && (encoding === undefined || encoding === 'identity');
}

function readBody(request: IncomingMessage, maxBytes: number): Promise<Uint8Array | 'too large' | 'aborted'> {
  return new Promise((resolve) => {
    const body = new JoinedBytes();
    request.on('data', (chunk: Buffer) => {
      if (body.length + chunk.length > maxBytes) resolve('too large');
      else body.add(chunk);
    });
    request.once('end', () => {
      resolve(body.whole());
    });
    const aborted = (): void => {
      resolve('aborted');
    };
    request.once('error', aborted);
    request.once('close', aborted);
  });
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  why: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  answerLast(request, response, status, JSON.stringify({ error: why }), {
    'content-type': 'application/json',
    ...headers,
  });
}

/** The client may be gone: what it asked for has been done all the same. */
export function answerJson(response: ServerResponse, status: number, text: string): void {
  if (response.destroyed) return;
  const bytes = Buffer.from(text, 'utf8');
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length });
  response.end(bytes);
}
