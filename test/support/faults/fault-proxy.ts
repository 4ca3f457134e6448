import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { Fault, ProxiedRequest } from './fault.js';
import { answerWith, cutShort, drip, goesOn, reset } from './faulty-answers.js';
import { takeMessage } from './http-framing.js';
import type { WireMessage } from './http-framing.js';

export interface FaultProxyOptions {
  /** Address of the forge, `http://127.0.0.1:<port>`. */
  readonly forge: string;
  readonly choose: (request: ProxiedRequest) => Fault;
  /** Milliseconds after which it closes by itself, should a test forget it. */
  readonly lifetimeMs?: number;
}

const LIFETIME_MS = 5 * 60_000;

/**
 * A TCP proxy on loopback in front of an HTTP server. It reads just enough to tell requests apart, so that each can
 * have a fault of its own, and passes the bytes on as they are. The forge gets each request on a connection of its own.
 */
export class FaultProxy {
  /** Every request that was sent, also those that the forge never saw. */
  readonly seen: ProxiedRequest[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #forge: URL;
  readonly #underway = new Set<Promise<unknown>>();
  readonly #timer: NodeJS.Timeout;

  private constructor(private readonly options: FaultProxyOptions) {
    this.#forge = new URL(options.forge);
    this.#server = createServer((socket) => void this.#serve(this.#track(socket)));
    this.#server.unref();
    this.#timer = setTimeout(() => void this.close(), options.lifetimeMs ?? LIFETIME_MS).unref();
  }

  static async start(options: FaultProxyOptions): Promise<FaultProxy> {
    const proxy = new FaultProxy(options);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }

  /** Resolves when the forge has answered all that was passed on to it. */
  async settled(): Promise<void> {
    while (this.#underway.size > 0) await Promise.allSettled(this.#underway);
  }

  /** Ends every connection. May be called again. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
    });
  }

  #track(socket: Socket): Socket {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    // Either side may go at any time; the reading side sees that it has ended.
    socket.on('error', () => undefined);
    return socket.setNoDelay(true);
  }

  async #serve(client: Socket): Promise<void> {
    let bytes: Buffer = Buffer.alloc(0);
    try {
      for await (const chunk of client.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        bytes = Buffer.concat([bytes, chunk]);
        for (;;) {
          const taken = takeMessage(bytes, 'request');
          if (taken === undefined) break;
          bytes = taken.rest;
          if (!(await this.#exchange(client, taken.message))) return;
        }
      }
    } catch {
      // The client has gone, or the proxy was closed.
    } finally {
      client.destroy();
    }
  }

  /** Resolves with whether the client's connection goes on. */
  async #exchange(client: Socket, request: WireMessage): Promise<boolean> {
    const [method = '', target = ''] = request.startLine.split(' ');
    const shown = { method, target, headers: request.headers, body: request.body.toString('latin1') };
    this.seen.push(shown);
    const fault = this.options.choose(shown);
    if (fault.kind === 'reset_before') return reset(client);
    if (fault.kind === 'status' && !fault.forwarded) return answerWith(client, fault);
    if (fault.kind === 'hold_request') await fault.until();
    const answered = this.#forward(request);
    this.#underway.add(answered);
    const answer = await answered.finally(() => this.#underway.delete(answered));
    switch (fault.kind) {
      case 'reset_after':
        return reset(client);
      case 'status':
        return answerWith(client, fault);
      case 'truncated':
        client.write(Buffer.concat(cutShort(answer, fault)));
        if (fault.hidden) return goesOn(answer);
        client.end();
        return false;
      case 'slow_drip':
        return drip(client, Buffer.concat([answer.head, answer.body]), fault);
      case 'hold_answer':
        await fault.until();
        break;
      case 'hold_request':
      case 'none':
    }
    client.write(Buffer.concat([answer.head, answer.body]));
    return goesOn(answer);
  }

  /** Resolves with the forge's whole answer: then it has acted. */
  async #forward(request: WireMessage): Promise<WireMessage> {
    const forge = this.#track(connect(Number(this.#forge.port), this.#forge.hostname));
    forge.write(Buffer.concat([request.head, request.body]));
    let bytes: Buffer = Buffer.alloc(0);
    try {
      for await (const chunk of forge as AsyncIterable<Buffer>) {
        bytes = Buffer.concat([bytes, chunk]);
        const taken = takeMessage(bytes, 'answer');
        if (taken !== undefined) return taken.message;
      }
    } finally {
      forge.destroy();
    }
    const taken = takeMessage(bytes, 'answer', true);
    if (taken === undefined) throw new Error(`the forge cut its answer to ${request.startLine}`);
    return taken.message;
  }
}
