import type { ServerResponse } from 'node:http';
import type { Redact } from '../base/redact.js';
import { answerJson } from '../jsonrpc/http-unix.js';

export interface ExchangeOptions {
  readonly redact: Redact;
  /** Whether the client takes `text/event-stream`; otherwise the answer comes as JSON, however late. */
  readonly mayStream: boolean;
  /** After so long without an answer, and then again and again, a sign of life is sent, ms. */
  readonly keepAliveMs: number;
}

/**
 * MCP's streamable HTTP for one POST, without sessions: so nothing is lost when the sidecar is restarted between two
 * calls. What is answered soon is answered as JSON; what takes long, or tells of progress, becomes a stream of events,
 * because clients give up on a response without headers after five minutes.
 */
export class Exchange {
  readonly #response: ServerResponse;
  readonly #options: ExchangeOptions;
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse, options: ExchangeOptions) {
    this.#response = response;
    this.#options = options;
    if (!options.mayStream) return;
    this.#timer = setInterval(() => {
      this.#tick(': still under way\n\n');
    }, options.keepAliveMs);
    // A client that goes away ends the signs of life, not the call.
    response.once('close', () => {
      clearInterval(this.#timer);
    });
  }

  /** Opens the stream, for who takes one. What comes faster than it is read is left out. */
  tell(notification: object): void {
    if (this.#options.mayStream) this.#tick(this.#event(notification));
  }

  /** Ends the exchange. */
  answer(answer: object): void {
    clearInterval(this.#timer);
    if (!this.#response.headersSent) {
      answerJson(this.#response, 200, this.#options.redact(JSON.stringify(answer)));
      return;
    }
    this.#stream(this.#event(answer));
    this.#response.end();
  }

  #event(message: object): string {
    return `event: message\ndata: ${this.#options.redact(JSON.stringify(message))}\n\n`;
  }

  /** Who reads nothing has as much of it in memory as one sign of life, however long the call is held. */
  #tick(text: string): void {
    if (this.#response.writableLength === 0) this.#stream(text);
  }

  #stream(text: string): void {
    if (this.#response.destroyed) return;
    if (!this.#response.headersSent) {
      this.#response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    }
    this.#response.write(text);
  }
}
