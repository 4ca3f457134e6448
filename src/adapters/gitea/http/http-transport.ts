import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { rootCertificates } from 'node:tls';
import { InvalidInputError } from '../../../domain/base/errors.js';
import { messageOf } from '../../../domain/base/message-of.js';

export interface HttpRequest {
  readonly method: string;
  /** Path and query as they go on the wire, already encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** For the whole exchange, the body included. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Of an answer that is larger, `maxBytes` are taken and the rest is not read; without it that is an error. */
  readonly cut?: boolean;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface TransportOptions {
  readonly base: URL;
  /** PEM file trusted beside the built-in authorities. */
  readonly caFile: string | null;
  /** Unix socket that stands for the base URL's host and port: a bottle's bundle reaches a loopback forge this way. */
  readonly socketPath: string | null;
}

export class ResponseTooLargeError extends Error {
  override readonly name = 'ResponseTooLargeError';
}

function certificatesOf(caFile: string): string {
  try {
    return readFileSync(caFile, 'utf8');
  } catch (cause) {
    throw new InvalidInputError(`FORGE_CA_FILE can't be read: ${messageOf(cause)}`, { cause });
  }
}

/**
 * One HTTP exchange over TCP or a Unix socket. Node's own client and not `fetch`: that takes neither a socket path
 * nor a CA without another dependency, and follows redirects (with our token) unless told otherwise.
 */
export class HttpTransport {
  readonly #base: URL;
  readonly #socketPath: string | null;
  readonly #ca: string[] | undefined;
  readonly #agent: http.Agent;

  constructor(options: TransportOptions) {
    this.#base = options.base;
    this.#socketPath = options.socketPath;
    this.#ca = options.caFile === null ? undefined : [...rootCertificates, certificatesOf(options.caFile)];
    const pool = { keepAlive: true, maxSockets: 16 };
    this.#agent = this.#base.protocol === 'https:' ? new https.Agent(pool) : new http.Agent(pool);
  }

  send(request: HttpRequest): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      const outgoing = this.#open(request);
      const timer = setTimeout(() => {
        outgoing.destroy(new Error(`no answer within ${String(request.timeoutMs)} ms`));
      }, request.timeoutMs);
      const fail = (error: Error): void => {
        clearTimeout(timer);
        reject(error);
      };
      outgoing.on('error', fail);
      outgoing.on('response', (incoming) => {
        collect(incoming, request).then((body) => {
          clearTimeout(timer);
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body });
        }, fail);
      });
      outgoing.end(request.body ?? undefined);
    });
  }

  /** Ends idle connections. */
  close(): void {
    this.#agent.destroy();
  }

  #open(request: HttpRequest): http.ClientRequest {
    const secure = this.#base.protocol === 'https:';
    // A URL's hostname keeps the brackets of an IPv6 address, a socket doesn't take them.
    const hostname = this.#base.hostname.replace(/^\[|\]$/g, '');
    const options: https.RequestOptions = {
      hostname,
      port: this.#base.port === '' ? (secure ? 443 : 80) : Number(this.#base.port),
      method: request.method,
      path: request.path,
      headers: { ...request.headers, host: this.#base.host },
      agent: this.#agent,
      ...(this.#socketPath === null ? {} : { socketPath: this.#socketPath }),
    };
    if (!secure) return http.request(options);
    return https.request({
      ...options,
      ...(this.#ca === undefined ? {} : { ca: this.#ca }),
    });
  }
}

async function collect(
  incoming: http.IncomingMessage,
  { maxBytes, cut = false }: HttpRequest,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      incoming.destroy();
      if (cut) return Buffer.concat([...chunks, chunk], maxBytes);
      throw new ResponseTooLargeError(`the answer is larger than ${String(maxBytes)} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
