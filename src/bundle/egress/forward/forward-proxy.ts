import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SlidingWindow } from '../../../domain/base/sliding-window.js';
import { allowsEncryptedHello, wildcardOf } from '../../../domain/egress/allowlist.js';
import type { BundleLog } from '../../base/bundle-log.js';
import { codeOf } from '../../base/code-of.js';
import { checkedAddresses, RefusedAddressError, type AddressPolicy, type Resolve } from '../addresses.js';
import { carryTls } from './carry-tls.js';
import { dial } from './dial.js';
import { answer, answerRaw, passHead } from './forward-answers.js';
import { ForwardExchange, NotConnectedError } from './forward-exchange.js';
import { endToEnd, flatHeaders, framingOf, withoutHeaders, type HeaderList } from '../headers.js';
import { IDLE_MS } from '../limits.js';
import type { Ledger, Transfer } from '../ledger.js';
import type { LiveConfig } from '../live-config.js';
import type { LiveConnections } from '../live-connections.js';
import { refusalText, whyRefused } from './refusal.js';
import { absoluteTarget, connectTarget, type Target } from './target.js';
import type { UploadBudget } from './upload-budget.js';

export interface ForwardProxyParts {
  readonly config: LiveConfig;
  readonly resolve: Resolve;
  readonly policy: AddressPolicy;
  readonly ledger: Ledger;
  readonly live: LiveConnections;
  readonly budget: UploadBudget;
  readonly calls: SlidingWindow;
  readonly helloMs: number;
  readonly log: BundleLog;
}

/** The side that asked, for CONNECT and requests alike. */
interface Client {
  isGone(): boolean;
  cut(): void;
  refuse(status: number, text: string): void;
  /** Whether what it does is still let through; of the target itself others decide. */
  isAllowed(): boolean;
}

interface Opened<T extends Target> {
  readonly target: T;
  readonly upstream: Socket;
  readonly transfer: Transfer;
  /** Ends both sides. */
  readonly cut: () => void;
  /** To be called when the upstream has closed. */
  readonly over: () => void;
}

interface Forwarded extends Opened<Target & { readonly path: string }> {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly exchange: ForwardExchange;
  readonly framing: HeaderList;
}

/**
 * The proxy that `HTTPS_PROXY` and `HTTP_PROXY` name: CONNECT, and plain HTTP in absolute form. A name is checked against
 * the allowlist before anything is looked up, its addresses before anything is connected to, and the connection is made
 * to the address that was checked.
 */
export class ForwardProxy {
  constructor(private readonly parts: ForwardProxyParts) {}

  /** CONNECT: TLS to the host that it names, and from its hellos on bytes both ways, whatever they are. */
  async connect(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const asked = request.url ?? '';
    const target = connectTarget(asked);
    const exchange = new ForwardExchange(this.parts, 'CONNECT', target);
    client.on('error', () => client.destroy());
    const { budget, config, helloMs } = this.parts;
    const isMarked = (): boolean =>
      target !== undefined && allowsEncryptedHello(config.current.allow, target.host, target.port);
    let isEncrypted = false;
    const opened = await this.begin(target, asked, exchange, {
      isGone: () => client.destroyed,
      cut: () => client.destroy(),
      refuse: (status, text) => {
        answerRaw(client, status, text);
      },
      isAllowed: () => !isEncrypted || isMarked(),
    });
    if (opened === undefined) return;
    const mayBeEncrypted = (): boolean => {
      isEncrypted = true;
      return isMarked();
    };
    await carryTls(
      { ...opened, client, head, exchange, budget },
      { host: opened.target.host, allowsEncryptedHello: mayBeEncrypted, helloMs },
    );
  }

  /** One plain request in absolute form. */
  async request(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = request.url ?? '';
    const target = absoluteTarget(asked);
    const exchange = new ForwardExchange(this.parts, request.method ?? '', target);
    const refuse = (status: number, text: string): void => {
      answer(request, response, status, text);
    };
    const framing = framingOf(request.headers);
    if (framing.kind === 'unknown') {
      const { status, text } = exchange.refused(
        new NotConnectedError(400, 'the only transfer coding is chunked'),
      );
      refuse(status, text);
      return;
    }
    const opened = await this.begin(target, asked, exchange, {
      isGone: () => response.destroyed,
      cut: () => response.destroy(),
      refuse,
      isAllowed: () => true,
    });
    if (opened === undefined) return;
    const { upstream, over } = opened;
    upstream.once('close', () => {
      over();
      exchange.ended('done');
    });
    this.forward({ ...opened, request, response, exchange, framing: framing.headers });
  }

  /** Connects, or tells the client why not. What is connected is counted, and cut when a reload no longer allows it. */
  private async begin<T extends Target>(
    target: T | undefined,
    asked: string,
    exchange: ForwardExchange,
    client: Client,
  ): Promise<Opened<T> | undefined> {
    const { ledger, live, config } = this.parts;
    let upstream: Socket;
    try {
      upstream = await this.open(target, asked);
    } catch (error) {
      const { status, text } = exchange.refused(error);
      client.refuse(status, text);
      return undefined;
    }
    upstream.on('error', () => upstream.destroy());
    if (client.isGone() || target === undefined) {
      upstream.destroy();
      exchange.ended('client gone');
      return undefined;
    }
    const cut = (): void => {
      client.cut();
      upstream.destroy();
    };
    const over = live.add(
      () => whyRefused(target, config.current) === undefined && client.isAllowed(),
      () => {
        exchange.ended('no longer allowed');
        cut();
      },
    );
    upstream.setTimeout(IDLE_MS, cut);
    const transfer = ledger.open(target.host, null);
    exchange.transfer = transfer;
    return { target, upstream, transfer, cut, over };
  }

  private forward(forwarded: Forwarded): void {
    const { request, response, target, upstream, transfer, framing } = forwarded;
    const { host, port, path } = target;
    const up = (bytes: number): void => {
      transfer.sent(bytes);
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
        transfer.received(chunk.length);
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
      else if (this.parts.budget.isSpent)
        answer(request, response, 403, refusalText({ why: this.spent(), ask: null }));
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
    const { config, resolve, policy, budget, calls } = this.parts;
    const waitMs = calls.take();
    if (waitMs > 0) {
      const seconds = String(Math.ceil(waitMs / 1000));
      throw new NotConnectedError(429, `too many connections in a minute: wait ${seconds} s`);
    }
    if (target === undefined)
      throw new NotConnectedError(
        400,
        `this is a proxy: ask for CONNECT host:port or http://host/path, not for ${JSON.stringify(asked.slice(0, 120))}`,
      );
    const refused = whyRefused(target, config.current);
    if (refused !== undefined) throw new NotConnectedError(403, refused.why, refused.ask);
    if (budget.isSpent || !this.mayAskFor(target)) throw new NotConnectedError(403, this.spent());
    const { host, port } = target;
    try {
      const socket = await dial(await checkedAddresses(host, resolve, policy), port);
      const meanwhile = whyRefused(target, config.current);
      if (meanwhile === undefined) return socket;
      socket.destroy();
      throw new NotConnectedError(403, meanwhile.why, meanwhile.ask);
    } catch (error) {
      if (error instanceof NotConnectedError) throw error;
      if (error instanceof RefusedAddressError)
        throw new NotConnectedError(403, `${error.message}: only addresses of the internet are reached`);
      throw new NotConnectedError(502, `${host} cannot be reached: ${codeOf(error)}`);
    }
  }

  /** Below a wildcard a name is the agent's own words, and a DNS server reads them, also where there is no such host. */
  private mayAskFor({ host, port }: Target): boolean {
    const { config, ledger, budget } = this.parts;
    const wildcard = wildcardOf(config.current.allow, host, port);
    if (wildcard === undefined) return true;
    ledger.addName(wildcard, host.length);
    return budget.take(host.length);
  }

  private spent(): string {
    return `the upload limit of this turn (${String(this.parts.budget.bytes)} bytes) is reached`;
  }
}
