/** Temporal's codec protocol over HTTP, so that its web page and its command line can show what is encrypted. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import { BotBottleError } from '../../../domain/base/errors.js';

const { Payloads } = proto.temporal.api.common.v1;

export interface CodecServerOptions {
  readonly codec: PayloadCodec;
  /** On 127.0.0.1; 0 for any. */
  readonly port: number;
  /** Of Temporal's web page: no other page of a browser gets an answer. */
  readonly origins: readonly string[];
}

export interface CodecServer {
  readonly url: string;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
/** A page asks for the payloads of one event, of which each has at most 2 MB, or a third more in Base64. */
const MAX_BYTES = 16 * 1024 * 1024;
const REQUEST_MS = 10_000;
const MAX_CONNECTIONS = 64;

/**
 * `POST /encode` and `POST /decode` with Temporal's `Payloads` as JSON, on loopback. Whoever can reach the port has what
 * the keys open: accounts of this machine do; pages of a browser don't, by origin and, against names that change their
 * address, by the Host header. Errors: the socket's.
 */
export async function serveCodec({ codec, port, origins }: CodecServerOptions): Promise<CodecServer> {
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS },
    (request, response) => {
      const { port: bound } = server.address() as AddressInfo;
      void answer(request, codec, { hosts: namesOf(bound), origins }).then((what) => {
        send(request, response, what);
      });
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(port, HOST);
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${HOST}:${String(bound)}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface Allowed {
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
}

async function answer(
  request: IncomingMessage,
  codec: PayloadCodec,
  { hosts, origins }: Allowed,
): Promise<Answer> {
  const { method, headers, url } = request;
  if (!hosts.includes(headers.host ?? '')) return refusal(421, 'this is not the host that was asked for');
  const { origin } = headers;
  if (origin !== undefined && !origins.includes(origin))
    return refusal(403, 'this origin is not TEMPORAL_UI_URL');
  const cors: Record<string, string> =
    origin === undefined ? {} : { 'access-control-allow-origin': origin, vary: 'origin' };
  if (url !== '/encode' && url !== '/decode') return refusal(404, 'POST /encode or /decode', cors);
  if (method === 'OPTIONS') return { status: 204, headers: { ...cors, ...PREFLIGHT } };
  if (method !== 'POST') return refusal(405, 'POST it', { ...cors, allow: 'POST, OPTIONS' });
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
    return refusal(415, 'send application/json', cors);
  try {
    const text = await bodyOf(request);
    if (text === undefined) return refusal(413, `more than ${String(MAX_BYTES)} bytes`, cors);
    const { payloads } = parse(text);
    const work = url === '/encode' ? codec.encode(payloads ?? []) : codec.decode(payloads ?? []);
    const done = Payloads.fromObject({ payloads: await work });
    return { status: 200, headers: cors, body: Payloads.toObject(done, { bytes: String, arrays: true }) };
  } catch (error) {
    return refusal(400, error instanceof BotBottleError ? error.message : 'no payloads in JSON', cors);
  }
}

/** What a page of the allowed origin may send; a private address is asked for by pages of the internet as well. */
const PREFLIGHT = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'content-type, x-namespace, authorization, caller-type',
  'access-control-allow-private-network': 'true',
  'access-control-max-age': '600',
} as const;

function parse(text: string): proto.temporal.api.common.v1.IPayloads {
  const given: unknown = JSON.parse(text);
  if (typeof given !== 'object' || given === null) throw new TypeError('no object');
  // Bytes in Base64 are read as such.
  return Payloads.fromObject(given);
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function namesOf(port: number): readonly string[] {
  return [`${HOST}:${String(port)}`, `localhost:${String(port)}`];
}

function refusal(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers, body: { message } };
}

function send(request: IncomingMessage, response: ServerResponse, { status, headers, body }: Answer): void {
  const type: Record<string, string> =
    body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' };
  // What is left of a request that was refused is not read.
  const end: Record<string, string> = request.complete ? {} : { connection: 'close' };
  response.writeHead(status, { 'cache-control': 'no-store', ...type, ...end, ...headers });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}
