import { randomBytes } from 'node:crypto';
import type { PublishAnswer, QueueBody } from '../domain/run/queue.js';
import type { AnswerReader } from './answer-reader.js';
import { JSON_RPC_CODE, JsonRpcError } from './jsonrpc/protocol.js';

export interface PublishDeskOptions {
  /** Durable when it resolves, after everything logged before. */
  readonly send: (id: string, body: QueueBody) => Promise<void>;
  readonly answers: Pick<AnswerReader, 'wait'>;
  /** Called with the number in the orchestrator's answer before the agent gets it. */
  readonly onPublished: (pr: number) => void;
  readonly slug: string;
  readonly turn: number;
  readonly now: () => number;
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
  #last: Promise<unknown> = Promise.resolve();
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
    const answer = this.#last.then(() => this.#ask(title, body));
    this.#last = answer.catch(() => undefined);
    try {
      return await answer;
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
    const { send, answers, onPublished, slug, turn, now } = this.#options;
    this.#stopped.signal.throwIfAborted();
    const requestId = randomBytes(16).toString('hex');
    await send(requestId, { kind: 'open_pr', slug, turn, title, body, at: now() });
    const { result } = await answers.wait(requestId, this.#stopped.signal);
    if (result.kind === 'published') onPublished(result.pr);
    else if (result.kind !== 'refused') throw new Error(`open_pr was answered with "${result.kind}"`);
    return result;
  }
}
