/**
 * A stub of the providers' APIs, for the real CLIs: Anthropic's Messages (`/v1/messages`, `/v1/messages/count_tokens`) and
 * OpenAI's Responses (`/v1/responses`), each with a stream or without.
 *
 *     const api = await ModelApi.start();            // or ModelApi.start({ address: await bridgeAddress(), socket })
 *     api.script(
 *       { reply: use('read_issue', {}) },
 *       { expect: ({ text }) => assert.match(text, /the issue's text/), reply: say('Done.') },
 *     );
 *     … a client asks api.url …
 *     api.check();                                   // the script is done and nothing else was asked
 *     await api.close();
 *
 * A request with tools takes the next step. One without (a title, a summary: CLIs ask such things of a small model) gets
 * `aside` and takes none. Whatever comes is in `requests`, headers and body included.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { anthropicMessages } from './anthropic-messages.js';
import type { Dialect, StreamEvent } from './dialect.js';
import { toModelRequest, type ModelRequest } from './model-request.js';
import { openaiResponses } from './openai-responses.js';
import type { Answer, Fault, Step } from './script.js';

const DIALECTS: readonly Dialect[] = [anthropicMessages, openaiResponses];
const COUNT_TOKENS = '/v1/messages/count_tokens';

export interface ModelApiOptions {
  /** Address to listen on; the default is loopback. */
  readonly address?: string;
  /** Path of a Unix socket to listen on as well. */
  readonly socket?: string;
}

export class ModelApi {
  /** Everything that was asked, in order. */
  readonly requests: ModelRequest[] = [];
  /** What a request without tools is answered with. */
  aside: Answer = { kind: 'answer', text: 'A title' };
  readonly #steps: Step[] = [];
  readonly #problems: string[] = [];
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();
  #calls = 0;

  private constructor() {
    // Made by `start`.
  }

  static async start({ address = '127.0.0.1', socket }: ModelApiOptions = {}): Promise<ModelApi> {
    const api = new ModelApi();
    await api.#listen((server, done) => server.listen(0, address, done));
    if (socket !== undefined) await api.#listen((server, done) => server.listen(socket, done));
    return api;
  }

  /** `http://address:port`, without a path. */
  get url(): string {
    const { address, port } = this.#servers[0]?.address() as AddressInfo;
    return `http://${address}:${String(port)}`;
  }

  /** `address:port`. */
  get authority(): string {
    return this.url.slice('http://'.length);
  }

  /** Adds steps after those that are left. */
  script(...steps: readonly Step[]): void {
    this.#steps.push(...steps);
  }

  get stepsLeft(): number {
    return this.#steps.length;
  }

  /** Requests that took a step or should have. */
  get turns(): ModelRequest[] {
    return this.requests.filter((request) => dialectOf(request) !== undefined && request.tools.length > 0);
  }

  /** Errors: when a request was not as expected, came without a step, or steps are left. */
  check(): void {
    const left = this.stepsLeft > 0 ? [`${String(this.stepsLeft)} steps were not asked for`] : [];
    const problems = [...this.#problems, ...left];
    if (problems.length > 0) throw new Error(`the model's script: ${problems.join('\n')}`);
  }

  /** Forgets requests, problems and what is left of the script. */
  reset(): void {
    for (const list of [this.requests, this.#steps, this.#problems]) list.length = 0;
  }

  async close(): Promise<void> {
    const closed = this.#servers.map((server) => new Promise((resolve) => server.close(resolve)));
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(closed);
  }

  async #listen(start: (server: Server, done: () => void) => void): Promise<void> {
    const server = createServer((request, response) => {
      this.#take(request, response).catch((error: unknown) => {
        this.#refuse(response, String(error));
      });
    });
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      start(server, resolve);
    });
    this.#servers.push(server);
  }

  async #take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { method = '', url = '/', headers } = incoming;
    const request = toModelRequest(method, url, headers, Buffer.concat(chunks).toString());
    this.requests.push(request);
    const dialect = dialectOf(request);
    if (dialect !== undefined) await this.#answer(dialect, request, response);
    else if (request.path === COUNT_TOKENS) send(response, 200, { input_tokens: request.text.length });
    else send(response, 404, { error: { type: 'not_found_error', message: 'the stub does not have this' } });
  }

  async #answer(dialect: Dialect, request: ModelRequest, response: ServerResponse): Promise<void> {
    if (request.tools.length === 0) {
      await this.#give(dialect, request, response, this.aside);
      return;
    }
    const step = this.#steps.shift();
    if (step === undefined) throw new Error(`no step is left for: ${request.text.slice(-500)}`);
    step.expect?.(request);
    const { reply } = step;
    await this.#give(dialect, request, response, typeof reply === 'function' ? reply(request) : reply);
  }

  async #give(
    dialect: Dialect,
    request: ModelRequest,
    response: ServerResponse,
    reply: Answer | Fault,
  ): Promise<void> {
    this.#calls += 1;
    const eventsOf = (answer: Answer): StreamEvent[] => dialect.events(answer, request, this.#calls);
    switch (reply.kind) {
      case 'answer':
        if (reply.waitMs !== undefined) await delay(reply.waitMs);
        if (request.body['stream'] !== true) send(response, 200, dialect.whole(reply, request, this.#calls));
        else {
          await stream(response, eventsOf(reply), reply.pauseMs);
          response.end();
        }
        return;
      case 'status':
        send(response, reply.status, reply.body, reply.headers);
        return;
      case 'broken':
        await stream(response, eventsOf(reply.answer).slice(0, reply.events), reply.answer.pauseMs);
        if (reply.then === 'end') response.end();
        if (reply.then === 'reset') response.destroy();
        return;
      case 'error_event': {
        const events = eventsOf(reply.answer).slice(0, reply.events);
        await stream(response, [...events, dialect.errorEvent(reply.type, reply.message)]);
        response.end();
        return;
      }
      case 'garbage':
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end(reply.body);
        return;
      case 'hang':
        return;
    }
  }

  /** 400 is what CLIs do not ask again for. */
  #refuse(response: ServerResponse, problem: string): void {
    this.#problems.push(problem);
    if (response.headersSent) response.destroy();
    else send(response, 400, { type: 'error', error: { type: 'invalid_request_error', message: problem } });
  }
}

function dialectOf({ method, path }: ModelRequest): Dialect | undefined {
  return method === 'POST' ? DIALECTS.find((dialect) => dialect.path === path) : undefined;
}

function send(
  response: ServerResponse,
  code: number,
  body: Readonly<Record<string, unknown>> | string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(text);
}

async function stream(
  response: ServerResponse,
  events: readonly StreamEvent[],
  pauseMs?: number,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.flushHeaders();
  for (const event of events) {
    if (pauseMs !== undefined) await delay(pauseMs);
    const isWritten = response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    if (!isWritten) await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
  }
}
