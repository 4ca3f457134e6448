import http from 'node:http';
import { closeServer, listenLocally, urlOf } from '../http/loopback.js';
import { refusal } from './exchange.js';
import type { Exchange, Reply, Route } from './exchange.js';
import { ISSUE_ROUTES } from './routes-issues.js';
import { PULL_ROUTES } from './routes-pulls.js';
import { OTHER_ROUTES } from './routes-rest.js';
import { GithubState } from './state.js';

const ROUTES: readonly Route[] = [...ISSUE_ROUTES, ...PULL_ROUTES, ...OTHER_ROUTES];
const HOURLY = 5_000;

export interface SeenRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
}

/**
 * GitHub's REST API, as far as the product uses it, on a loopback port with everything in memory. Written to GitHub's
 * documentation; what is not served answers 404 as GitHub does. It remembers every request.
 */
export class GithubServer {
  readonly state = new GithubState();
  readonly seen: SeenRequest[] = [];
  /** The most items of a page, for lists of several pages without hundreds of items. */
  pageCap = 100;
  /** The hourly limit: what is left, and when it is full again, epoch seconds. */
  limit = { remaining: HOURLY, reset: Math.floor(Date.now() / 1000) + 3600 };
  /** Answers of the next requests, in order, instead of real ones. */
  readonly instead: Reply[] = [];
  readonly #server: http.Server;

  private constructor(readonly prefix: string) {
    this.#server = http.createServer((incoming, outgoing) => {
      void this.#serve(incoming, outgoing);
    });
  }

  /** @param prefix `/api/v3` for one like an Enterprise server's */
  static async start(prefix = ''): Promise<GithubServer> {
    const server = new GithubServer(prefix);
    await listenLocally(server.#server);
    return server;
  }

  /** The API's base URL. */
  get url(): string {
    return `${urlOf(this.#server)}${this.prefix}`;
  }

  stop(): Promise<void> {
    return closeServer(this.#server);
  }

  async #serve(incoming: http.IncomingMessage, outgoing: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
    const { method = '', url = '', headers } = incoming;
    this.seen.push({ method, url, headers });
    const reply =
      this.instead.shift() ?? this.#answer(method, url, headers, Buffer.concat(chunks).toString());
    const text = reply.text ?? (reply.json === undefined ? '' : JSON.stringify(reply.json));
    outgoing.writeHead(reply.status, {
      ...(text === '' ? {} : { 'content-type': 'application/json; charset=utf-8' }),
      'x-github-media-type': 'github.v3; format=json',
      'x-ratelimit-limit': String(HOURLY),
      'x-ratelimit-remaining': String(this.limit.remaining),
      'x-ratelimit-reset': String(this.limit.reset),
      ...reply.headers,
    });
    outgoing.end(text);
  }

  #answer(method: string, url: string, headers: http.IncomingHttpHeaders, text: string): Reply {
    // GitHub turns away who does not say who it is.
    if (headers['user-agent'] === undefined)
      return { status: 403, text: 'Request forbidden by administrative rules.' };
    const token = /^(?:Bearer|token) (\S+)$/i.exec(headers.authorization ?? '')?.[1];
    const asker = this.state.users.find((user) => user.token === token);
    if (asker === undefined) return refusal(401, 'Bad credentials');
    if (Date.now() >= this.limit.reset * 1000) this.limit = { ...this.limit, remaining: HOURLY };
    if (this.limit.remaining === 0)
      return refusal(403, `API rate limit exceeded for user ID ${String(asker.id)}.`);
    this.limit.remaining -= 1;
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    if (!pathname.startsWith(this.prefix)) return refusal(404, 'Not Found');
    const path = pathname.slice(this.prefix.length);
    for (const [verb, pattern, reply] of ROUTES) {
      const params = verb === method ? matched(pattern, path) : undefined;
      if (params === undefined) continue;
      return reply({
        state: this.state,
        origin: this.url,
        asker,
        params: { ...params, path },
        query: searchParams,
        accept: headers.accept ?? '',
        body: text === '' ? {} : (JSON.parse(text) as Exchange['body']),
        pageCap: this.pageCap,
      });
    }
    return refusal(404, 'Not Found');
  }
}

function matched(pattern: string, path: string): Record<string, string> | undefined {
  const [names, values] = [pattern.split('/'), path.split('/')];
  if (names.length !== values.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const value = decodeURIComponent(values[index] ?? '');
    if (name.startsWith(':')) params[name.slice(1)] = value;
    else if (name !== value) return undefined;
  }
  return params;
}
