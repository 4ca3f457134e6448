/** A forge that knows its API's document and nothing else, and a client that tells what is read of its answers. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { GiteaClient } from '../../../src/adapters/gitea/gitea-client.js';
import type { GiteaRequest, GiteaResponse } from '../../../src/adapters/gitea/gitea-client.js';
import { closeServer, listenLocally, urlOf } from '../http/loopback.js';
import type { ApiDocument, Values } from './api-document.js';

/** Other answers than the first of 2xx: statuses by `GET /repos/{owner}/{repo}`. They must be in the document. */
export type Answers = Readonly<Record<string, number>>;

export class DocumentedForge {
  /** What was asked for, sent or read that is not in the document. */
  readonly problems = new Set<string>();
  /** `GET /repos/{owner}/{repo}` of everything that was asked for. */
  readonly asked = new Set<string>();
  answers: Answers = {};
  values: Values = {};
  readonly #server: Server;

  constructor(private readonly document: ApiDocument) {
    this.#server = createServer((request, response) => {
      this.#answer(request).then(
        ({ status, body }) => {
          response.writeHead(status);
          response.end(typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body));
        },
        (error: unknown) => {
          this.problems.add(String(error));
          response.writeHead(400).end();
        },
      );
    });
  }

  /** A client of it, each answer of which is watched. */
  async client(): Promise<GiteaClient> {
    await listenLocally(this.#server);
    return new WatchedClient(urlOf(this.#server), (method, path, what) => {
      const name = this.document.find(method, path)?.name ?? `${method} ${path}`;
      this.problems.add(`${name}: ${what} is read`);
    });
  }

  close(): Promise<void> {
    return closeServer(this.#server);
  }

  async #answer(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    const method = request.method ?? '';
    const url = new URL(request.url ?? '', 'http://forge');
    const path = decodeURIComponent(url.pathname.replace(/^\/api\/v1/, ''));
    const sent = await text(request);
    const operation = this.document.find(method, path);
    if (operation === undefined) {
      this.problems.add(`${method} ${path}: is asked for`);
      return { status: 404, body: undefined };
    }
    this.asked.add(operation.name);
    const body: unknown = sent === '' ? undefined : JSON.parse(sent);
    for (const problem of this.document.problemsOf(operation, url.searchParams, body))
      this.problems.add(`${operation.name}: ${problem}`);
    return this.document.answerOf(operation, this.values, this.answers[operation.name]);
  }
}

type Told = (method: string, path: string, what: string) => void;

class WatchedClient extends GiteaClient {
  constructor(
    baseUrl: string,
    private readonly told: Told,
  ) {
    super({ baseUrl, token: 'token', retry: { tries: 1 } });
  }

  override async request(request: GiteaRequest): Promise<GiteaResponse> {
    const response = await super.request(request);
    const path = `/${request.path.join('/')}`;
    return {
      ...response,
      json: () => watched(response.json(), '', (what) => this.told(request.method, path, what)),
    };
  }
}

/** Every property of an instance is filled, so one that is read and absent is in no document. */
function watched(value: unknown, where: string, missing: (what: string) => void): unknown {
  if (Array.isArray(value)) return value.map((item) => watched(item, `${where}[]`, missing));
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, watched(child, `${where}.${key}`, missing)]),
  );
  return new Proxy(inner, {
    get: (target, key) => {
      if (
        typeof key === 'string' &&
        !Object.hasOwn(target, key) &&
        !(key in Object.prototype) &&
        key !== 'then'
      )
        missing(`${where}.${key}`);
      return target[key as string];
    },
  });
}
