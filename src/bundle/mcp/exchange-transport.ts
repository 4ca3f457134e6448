import type { ServerResponse } from 'node:http';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Redact } from '../base/redact.js';

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
 * because clients give up on a response without headers after five minutes. The SDK's own transport wants the objects
 * of `fetch`, which cost 10 MiB and 50 ms here.
 */
export class ExchangeTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #response: ServerResponse;
  readonly #options: ExchangeOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse, options: ExchangeOptions) {
    this.#response = response;
    this.#options = options;
  }

  start(): Promise<void> {
    if (this.#options.mayStream) {
      this.#timer = setInterval(() => {
        this.#stream(': still under way\n\n');
      }, this.#options.keepAliveMs);
      // A client that goes away ends the signs of life, not the call.
      this.#response.once('close', () => {
        clearInterval(this.#timer);
      });
    }
    return Promise.resolve();
  }

  /** The answer ends the exchange; a notification before it opens the stream. Requests to the client are not made. */
  send(message: JSONRPCMessage): Promise<void> {
    const text = this.#options.redact(JSON.stringify(message));
    const event = `event: message\ndata: ${text}\n\n`;
    if ('method' in message) {
      if (this.#options.mayStream) this.#stream(event);
      return Promise.resolve();
    }
    if (!this.#response.headersSent) answerJson(this.#response, 200, text);
    else {
      this.#stream(event);
      this.#response.end();
    }
    return this.close();
  }

  close(): Promise<void> {
    clearInterval(this.#timer);
    this.onclose?.();
    return Promise.resolve();
  }

  #stream(text: string): void {
    if (this.#response.destroyed) return;
    if (!this.#response.headersSent) {
      this.#response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    }
    this.#response.write(text);
  }
}

export function answerJson(response: ServerResponse, status: number, text: string): void {
  if (response.destroyed) return;
  const bytes = Buffer.from(text, 'utf8');
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length });
  response.end(bytes);
}
