/** Server-sent events (HTML Living Standard, 9.2), as long as the client listens and its token is good. */
import { once } from 'node:events';
import type { Request, Response } from 'express';
import { hasExpired } from '../domain/api/api-token.js';
import type { ApiDeps } from './base/api-deps.js';
import { secretOf } from './authorize.js';
import type { SentEvent } from './base/operation.js';
import { problem } from './base/problem.js';

/** Keeps proxies from taking a quiet stream for a dead one; the token is looked at as often. */
const HEARTBEAT_MS = 10_000;
/** Each reads rows or a file twice a second and more. */
const MAX_STREAMS = 32;

type Open = (options: {
  readonly after: string | undefined;
  readonly signal: AbortSignal;
}) => Promise<AsyncIterable<SentEvent>>;

export class EventStreams {
  #open = 0;

  constructor(private readonly deps: Pick<ApiDeps, 'tokens' | 'now' | 'onError'>) {}

  async send(request: Request, response: Response, open: Open): Promise<void> {
    // It left while its token was looked up: its `close` was then, and nothing would end the stream.
    if (response.destroyed) return;
    if (this.#open >= MAX_STREAMS) {
      response.setHeader('Retry-After', '10');
      problem(response, 429, `${String(MAX_STREAMS)} streams are open already: close one`);
      return;
    }
    this.#open += 1;
    const ending = new AbortController();
    const beat = setInterval(() => void this.#beat(request, response, ending), HEARTBEAT_MS);
    response.on('close', () => {
      ending.abort();
    });
    try {
      const after = request.headers['last-event-id'];
      const events = await open({
        after: typeof after === 'string' && after !== '' ? after : undefined,
        signal: ending.signal,
      });
      response.status(200).setHeader('Content-Type', 'text/event-stream').flushHeaders();
      // Nobody reads what follows, and the connection waits for its end.
      if (request.method === 'HEAD') ending.abort();
      for await (const event of events) {
        if (ending.signal.aborted) break;
        if (!response.write(textOf(event)))
          await once(response, 'drain', { signal: ending.signal }).catch(() => undefined);
      }
    } catch (error) {
      if (!response.headersSent) throw error;
      this.deps.onError('a stream of events ended', error);
    } finally {
      clearInterval(beat);
      this.#open -= 1;
    }
    response.end();
  }

  async #beat(request: Request, response: Response, ending: AbortController): Promise<void> {
    const secret = secretOf(request.headers.authorization) ?? '';
    const token = await this.deps.tokens.find(secret).catch(() => undefined);
    if (token === undefined || hasExpired(token, this.deps.now())) ending.abort();
    // It may have ended while the token was looked up: a write after that is an error that nobody catches.
    else if (response.headersSent && !response.writableEnded) response.write(': \n\n');
  }
}

/** JSON has no line breaks of its own. */
function textOf({ id, event, data }: SentEvent): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
