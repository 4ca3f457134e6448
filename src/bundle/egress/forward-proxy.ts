import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { BundleLog } from '../bundle-log.js';
import { checkedAddresses, RefusedAddressError, type AddressPolicy, type Resolve } from './addresses.js';
import type { CallGate } from './call-gate.js';
import { dial } from './dial.js';
import { endToEnd, flatHeaders, framingOf, withoutHeaders, type HeaderList } from './headers.js';
import { IDLE_MS } from './limits.js';
import type { Counters, Ledger } from './ledger.js';
import type { LiveConfig } from './live-config.js';
import type { LiveConnections } from './live-connections.js';
import { REFUSED, absoluteTarget, connectTarget, refusalText, whyRefused, type Target } from './target.js';
import type { UploadBudget } from './upload-budget.js';

export interface ForwardProxyParts {
  readonly config: LiveConfig;
  readonly resolve: Resolve;
  readonly policy: AddressPolicy;
  readonly ledger: Ledger;
  readonly live: LiveConnections;
  readonly budget: UploadBudget;
  readonly gate: CallGate;
  readonly log: BundleLog;
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  403: REFUSED,
  429: 'Too Many Requests',
  502: 'Bad Gateway',
};

/** A client that was refused has this long to read it, ms. */
const LINGER_MS = 1000;

/** Answered instead of connecting. */
class NotConnectedError extends Error {
  constructor(
    readonly status: 400 | 403 | 429 | 502,
    readonly why: string,
  ) {
    super(why);
  }
}

/**
 * The proxy that `HTTPS_PROXY` and `HTTP_PROXY` name: CONNECT, and plain HTTP in absolute form. A name is checked against
 * the allowlist before anything is looked up, its addresses before anything is connected to, and the connection is made
 * to the address that was checked.
 */
export class ForwardProxy {
  constructor(private readonly parts: ForwardProxyParts) {}

  /** CONNECT: bytes both ways from here on, whatever they are. */
  async connect(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const { ledger, live, config, budget } = this.parts;
    const exchange = this.exchange('CONNECT', request.url ?? '');
    client.on('error', () => client.destroy());
    const target = connectTarget(request.url ?? '');
    let upstream: Socket;
    try {
      upstream = await this.open(target, request.url ?? '');
    } catch (error) {
      const { status, text } = exchange.refused(error, target);
      answerRaw(client, status, text);
      return;
    }
    upstream.on('error', () => upstream.destroy());
    if (client.destroyed || target === undefined) {
      upstream.destroy();
      exchange.ended('client gone');
      return;
    }
    const counters = ledger.open(target.host, null);
    const cut = (): void => {
      client.destroy();
      upstream.destroy();
    };
    const over = live.add(
      () => whyRefused(target, config.current) === undefined,
      () => {
        exchange.ended('no longer allowed');
        cut();
      },
    );
    let isOverBudget = false;
    const up = (bytes: number): boolean => {
      counters.bytesUp += bytes;
      exchange.up += bytes;
      isOverBudget ||= !budget.take(bytes);
      if (isOverBudget) cut();
      return !isOverBudget;
    };
    upstream.setTimeout(IDLE_MS, cut);
    if (isTimed(client)) client.setTimeout(0);
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    if (head.length > 0 && up(head.length)) upstream.write(head);
    client.on('data', (chunk: Buffer) => up(chunk.length));
    upstream.on('data', (chunk: Buffer) => {
      counters.bytesDown += chunk.length;
      exchange.down += chunk.length;
    });
    client.pipe(upstream);
    upstream.pipe(client);
    // One that is cut takes the other along; one that ends leaves it time to say the rest.
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => {
      if (upstream.readableEnded) client.end();
      else client.destroy();
      over();
      exchange.ended(isOverBudget ? 'upload limit' : 'done');
    });
  }

  /** One plain request in absolute form. */
  async request(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { ledger, live, config } = this.parts;
    const exchange = this.exchange(request.method ?? '', request.url ?? '');
    const target = absoluteTarget(request.url ?? '');
    const framing = framingOf(request.headers);
    let upstream: Socket;
    try {
      if (framing.kind === 'unknown') throw new NotConnectedError(400, 'the only transfer coding is chunked');
      upstream = await this.open(target, request.url ?? '');
    } catch (error) {
      const { status, text } = exchange.refused(error, target);
      answer(request, response, status, text);
      return;
    }
    if (response.destroyed || target === undefined) {
      upstream.destroy();
      exchange.ended('client gone');
      return;
    }
    const counters = ledger.open(target.host, null);
    const cut = (): void => {
      response.destroy();
      upstream.destroy();
    };
    const over = live.add(
      () => whyRefused(target, config.current) === undefined,
      () => {
        exchange.ended('no longer allowed');
        cut();
      },
    );
    upstream.setTimeout(IDLE_MS, cut);
    upstream.on('error', () => undefined);
    upstream.once('close', () => {
      over();
      exchange.ended('done');
    });
    this.forward({ request, response, target, upstream, counters, exchange, framing: framing.headers });
  }

  private forward(parts: {
    readonly request: IncomingMessage;
    readonly response: ServerResponse;
    readonly target: Target & { readonly path: string };
    readonly upstream: Socket;
    readonly counters: Counters;
    readonly exchange: Exchange;
    readonly framing: HeaderList;
  }): void {
    const { request, response, target, upstream, counters, exchange, framing } = parts;
    const { host, port, path } = target;
    const up = (bytes: number): void => {
      counters.bytesUp += bytes;
      exchange.up += bytes;
      if (!this.parts.budget.take(bytes)) upstream.destroy(new Error(this.spent()));
    };
    const headers = withoutHeaders(endToEnd(request.rawHeaders), new Set(['host', 'expect']));
    // The target's own name, never the client's header: a server behind the allowed one could read that.
    const hostHeader: [string, string] = ['Host', port === 80 ? host : `${host}:${String(port)}`];
    const outgoing = httpRequest({
      method: request.method,
      path,
      headers: flatHeaders([hostHeader, ...headers, ...framing, ['Connection', 'close']]),
      setHost: false,
      // Without an agent; this socket carries one exchange.
      createConnection: () => upstream,
    });
    up(headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, path.length));
    outgoing.on('response', (incoming) => {
      if (!passHead(incoming, response)) {
        upstream.destroy(new Error('an answer that is none'));
        return;
      }
      incoming.on('data', (chunk: Buffer) => {
        counters.bytesDown += chunk.length;
        exchange.down += chunk.length;
      });
      incoming.once('error', () => response.destroy());
      incoming.once('aborted', () => response.destroy());
      incoming.pipe(response);
    });
    outgoing.once('upgrade', () => upstream.destroy(new Error('it wants another protocol')));
    outgoing.once('close', () => {
      if (!response.headersSent) answer(request, response, 502, `bot-bottle: ${host} did not answer\n`);
    });
    outgoing.on('error', (error) => {
      upstream.destroy();
      if (response.headersSent) response.destroy();
      else if (this.parts.budget.isSpent) answer(request, response, 403, refusalText(this.spent()));
      else answer(request, response, 502, `bot-bottle: ${host} did not answer: ${codeOf(error)}\n`);
    });
    response.once('close', () => upstream.destroy());
    request.on('data', (chunk: Buffer) => {
      up(chunk.length);
    });
    request.pipe(outgoing);
  }

  /** Errors: `NotConnectedError`. */
  private async open(target: Target | undefined, asked: string): Promise<Socket> {
    const { config, resolve, policy, budget, gate } = this.parts;
    const wait = gate.take();
    if (wait > 0)
      throw new NotConnectedError(429, `too many connections in a minute: wait ${String(wait)} s`);
    if (target === undefined)
      throw new NotConnectedError(
        400,
        `this is a proxy: ask for CONNECT host:port or http://host/path, not for ${JSON.stringify(asked.slice(0, 120))}`,
      );
    const refused = whyRefused(target, config.current);
    if (refused !== undefined) throw new NotConnectedError(403, refused);
    if (budget.isSpent) throw new NotConnectedError(403, this.spent());
    const { host, port } = target;
    try {
      const socket = await dial(await checkedAddresses(host, resolve, policy), port);
      const meanwhile = whyRefused(target, config.current);
      if (meanwhile === undefined) return socket;
      socket.destroy();
      throw new NotConnectedError(403, meanwhile);
    } catch (error) {
      if (error instanceof NotConnectedError) throw error;
      if (error instanceof RefusedAddressError)
        throw new NotConnectedError(403, `${error.message}: only addresses of the internet are reached`);
      throw new NotConnectedError(502, `${host} cannot be reached: ${codeOf(error)}`);
    }
  }

  private spent(): string {
    return `the upload limit of this turn (${String(this.parts.budget.bytes)} bytes) is reached`;
  }

  private exchange(method: string, asked: string): Exchange {
    return new Exchange(this.parts, method, asked);
  }
}

/** One connection or request on its way to its one line in the log. */
class Exchange {
  up = 0;
  down = 0;
  readonly #began = performance.now();
  #isTold = false;

  constructor(
    private readonly parts: ForwardProxyParts,
    private readonly method: string,
    private readonly asked: string,
  ) {}

  refused(error: unknown, target: Target | undefined): { readonly status: number; readonly text: string } {
    const known =
      error instanceof NotConnectedError ? error : new NotConnectedError(502, 'cannot be reached');
    const { status, why } = known;
    if (status === 403) this.parts.ledger.refuse(target?.host ?? '');
    this.tell({ ...target, verdict: status === 502 ? 'failed' : 'refused', why });
    return { status, text: status === 403 ? refusalText(why) : `bot-bottle: ${why}\n` };
  }

  ended(how: 'done' | 'client gone' | 'upload limit' | 'no longer allowed'): void {
    const target = this.method === 'CONNECT' ? connectTarget(this.asked) : absoluteTarget(this.asked);
    this.tell({ host: target?.host, port: target?.port, verdict: 'allowed', how });
  }

  private tell(fields: Readonly<Record<string, unknown>>): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.parts.log('info', 'egress', {
      method: this.method,
      ...fields,
      up: this.up,
      down: this.down,
      ms: Math.round(performance.now() - this.#began),
    });
  }
}

function answerRaw(client: Duplex, status: number, text: string): void {
  const bytes = Buffer.byteLength(text);
  client.end(
    `HTTP/1.1 ${String(status)} ${REASONS[status] ?? 'Error'}\r\ncontent-type: text/plain; charset=utf-8\r\n` +
      `content-length: ${String(bytes)}\r\nconnection: close\r\n\r\n${text}`,
  );
  client.resume();
  const timer = setTimeout(() => client.destroy(), LINGER_MS);
  client.once('close', () => {
    clearTimeout(timer);
  });
}

/** @returns false for a head that cannot be passed on: a status beyond three digits, characters that no header has */
function passHead(incoming: IncomingMessage, response: ServerResponse): boolean {
  try {
    response.writeHead(incoming.statusCode ?? 502, flatHeaders(endToEnd(incoming.rawHeaders)));
    return true;
  } catch {
    return false;
  }
}

function answer(request: IncomingMessage, response: ServerResponse, status: number, text: string): void {
  if (response.destroyed || response.headersSent) return;
  request.unpipe();
  request.resume();
  // A body that is still coming is not waited for.
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  response.end(text);
}

function isTimed(client: Duplex): client is Socket {
  return 'setTimeout' in client;
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
