import type { PublishAnswer } from '../domain/run/queue.js';
import type { Ask } from './base/ask.js';
import { AtMost } from './base/at-most.js';
import { JSON_RPC_CODE, JsonRpcError } from './jsonrpc/protocol.js';

export interface PublishDeskOptions {
  readonly ask: Ask;
  /** Called with the number in the orchestrator's answer before the agent gets it. */
  readonly onPublished: (pr: number) => void;
}

const MAX_WAITING = 4;

/**
 * `open_pr`: hands the request to the orchestrator and holds the call open until its answer. One at a time, in order;
 * a client that goes away cancels nothing. Every call is a request of its own, since commits may have been added since
 * an equal one; publishing the same twice changes nothing.
 */
export class PublishDesk {
  readonly #options: PublishDeskOptions;
  readonly #stopped = new AbortController();
  readonly #oneAtATime = new AtMost(1);
  #waiting = 0;

  constructor(options: PublishDeskOptions) {
    this.#options = options;
  }

  /** Errors: `JsonRpcError` -32002 when too many wait already, -32004 when the sidecar stops first. */
  async openPr(title: string, body: string): Promise<PublishAnswer> {
    if (this.#waiting >= MAX_WAITING) {
      throw new JsonRpcError(JSON_RPC_CODE.rateLimited, 'too many open_pr calls wait already', {
        retryAfterMs: 5000,
      });
    }
    this.#waiting += 1;
    try {
      return await this.#oneAtATime.work(() => this.#ask(title, body));
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Ends the calls that are held: the request stays with the orchestrator, its answer reaches the next turn. */
  stop(): void {
    const why = 'the sidecar stops; the request was passed on and is not lost';
    this.#stopped.abort(new JsonRpcError(JSON_RPC_CODE.pending, why));
  }

  async #ask(title: string, body: string): Promise<PublishAnswer> {
    this.#stopped.signal.throwIfAborted();
    const result = await this.#options.ask({ kind: 'open_pr', title, body }, this.#stopped.signal);
    if (result.kind === 'published') this.#options.onPublished(result.pr);
    else if (result.kind !== 'refused') throw new Error(`open_pr was answered with "${result.kind}"`);
    return result;
  }
}
