import http from 'node:http';
import { closeServer, listenLocally, urlOf } from '../http/loopback.js';

/** What the proxy says instead of passing a request on. */
export interface Instead {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A reverse proxy before a forge that notes every request: what was asked for is counted on the wire. */
export class ForgeProxy {
  /** `GET /api/v1/…`, in order. */
  readonly seen: string[] = [];
  /** Asked before each request; may be replaced. */
  instead: (path: string) => Instead | undefined = () => undefined;
  readonly #server: http.Server;

  private constructor(private readonly forge: URL) {
    this.#server = http.createServer((incoming, outgoing) => {
      this.#pass(incoming, outgoing);
    });
  }

  static async start(forgeUrl: string): Promise<ForgeProxy> {
    const proxy = new ForgeProxy(new URL(forgeUrl));
    await listenLocally(proxy.#server);
    return proxy;
  }

  get url(): string {
    return urlOf(this.#server);
  }

  stop(): Promise<void> {
    return closeServer(this.#server);
  }

  #pass(incoming: http.IncomingMessage, outgoing: http.ServerResponse): void {
    const { method = '', url = '' } = incoming;
    this.seen.push(`${method} ${url}`);
    const answer = this.instead(url);
    if (answer !== undefined) {
      outgoing.writeHead(answer.status, answer.headers).end('{}');
      return;
    }
    const { hostname, port } = this.forge;
    const { headers } = incoming;
    const onward = http.request({ hostname, port, method, path: url, headers, agent: false }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  }
}
