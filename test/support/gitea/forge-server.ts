import http from 'node:http';
import { closeServer, listenLocally, urlOf } from '../http/loopback.js';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
  readonly at: number;
}

/** An answer; `hang` never comes, `drop` cuts the connection. */
export type Answer =
  | { readonly status: number; readonly body?: string; readonly headers?: Readonly<Record<string, string>> }
  | 'hang'
  | 'drop';

/** A local HTTP server for the faults that a real forge can't be told to make. It remembers every request. */
export class ForgeServer {
  readonly seen: SeenRequest[] = [];
  readonly #server: http.Server;

  private constructor(answer: (request: SeenRequest, count: number) => Answer | Promise<Answer>) {
    this.#server = http.createServer((incoming, outgoing) => {
      void this.#serve(incoming, outgoing, answer);
    });
  }

  /** Listens on a free loopback port, or on a Unix socket. */
  static async start(
    answer: (request: SeenRequest, count: number) => Answer | Promise<Answer>,
    socketPath?: string,
  ): Promise<ForgeServer> {
    const server = new ForgeServer(answer);
    await listenLocally(server.#server, socketPath);
    return server;
  }

  get url(): string {
    return urlOf(this.#server);
  }

  stop(): Promise<void> {
    return closeServer(this.#server);
  }

  async #serve(
    incoming: http.IncomingMessage,
    outgoing: http.ServerResponse,
    answer: (request: SeenRequest, count: number) => Answer | Promise<Answer>,
  ): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
    const request: SeenRequest = {
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      headers: incoming.headers,
      body: Buffer.concat(chunks).toString(),
      at: Date.now(),
    };
    this.seen.push(request);
    const said = await answer(request, this.seen.length);
    if (said === 'hang') return;
    if (said === 'drop') {
      incoming.socket.destroy();
      return;
    }
    outgoing.writeHead(said.status, { 'content-type': 'application/json', ...said.headers });
    outgoing.end(said.body ?? '');
  }
}

/** Passes a request on to a real forge, as a reverse proxy would. */
export async function passOn(
  forgeUrl: string,
  request: SeenRequest,
): Promise<{ status: number; body: string }> {
  const response = await fetch(forgeUrl + request.url, {
    method: request.method,
    headers: { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' },
    ...(request.body === '' ? {} : { body: request.body }),
  });
  return { status: response.status, body: await response.text() };
}
