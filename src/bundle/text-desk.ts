import { randomBytes } from 'node:crypto';
import type { QueueAnswer, QueueBody } from '../domain/run/queue.js';
import type { AnswerReader } from './answer-reader.js';
import { JSON_RPC_CODE, JsonRpcError } from './jsonrpc/protocol.js';
import type { QueueWriter } from './queue-writer.js';

export interface TextDeskOptions {
  readonly queue: Pick<QueueWriter, 'write' | 'withdraw'>;
  readonly answers: Pick<AnswerReader, 'wait'>;
  readonly slug: string;
  readonly turn: number;
  readonly now: () => number;
  /** Milliseconds to wait for a verdict. Default: 30 s, long enough for a worker that is being restarted. */
  readonly waitMs?: number;
}

const WAIT_MS = 30_000;
/** A worker that is away must find few of them: too many files in the queue freeze a run. */
const MAX_WAITING = 8;

/**
 * Hands each text to the orchestrator before it is posted, and waits for the verdict: the rules and the secrets that are
 * looked for are where no agent and no sidecar is. Without a verdict nothing is posted. Every text is a request of its
 * own, so asking again is harmless.
 */
export class TextDesk {
  readonly #options: TextDeskOptions;
  readonly #stopped = new AbortController();
  #waiting = 0;

  constructor(options: TextDeskOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the text may be posted. Errors: `JsonRpcError` -32006 with rule and line when it holds a secret,
   * -32007 when it could not be looked through, -32002 when too many wait already.
   */
  async requireClean(where: string, text: string): Promise<void> {
    if (this.#waiting >= MAX_WAITING) {
      throw new JsonRpcError(JSON_RPC_CODE.rateLimited, 'too many texts wait to be checked for secrets', {
        retryAfterMs: 2000,
      });
    }
    this.#waiting += 1;
    try {
      const verdict = await this.#verdict(where, text);
      if (verdict.kind === 'clean') return;
      if (verdict.kind === 'secret') throw new JsonRpcError(JSON_RPC_CODE.secretFound, verdict.reason);
      throw unchecked(verdict.kind === 'unchecked' ? verdict.reason : `answered with "${verdict.kind}"`);
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Ends the calls that are held; nothing of theirs is posted. */
  stop(): void {
    this.#stopped.abort(unchecked('the sidecar stops'));
  }

  async #verdict(where: string, text: string): Promise<QueueAnswer['result']> {
    const { queue, answers, slug, turn, now, waitMs = WAIT_MS } = this.#options;
    this.#stopped.signal.throwIfAborted();
    const requestId = randomBytes(16).toString('hex');
    const body: QueueBody = { kind: 'text', slug, turn, where, text, at: now() };
    const fileName = await queue.write(requestId, body);
    const late = new AbortController();
    const timer = setTimeout(() => {
      late.abort(unchecked('the orchestrator did not answer in time'));
    }, waitMs);
    try {
      const over = AbortSignal.any([this.#stopped.signal, late.signal]);
      return await answers.wait(requestId, over);
    } catch (error) {
      await queue.withdraw(fileName);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

function unchecked(why: string): JsonRpcError {
  return new JsonRpcError(
    JSON_RPC_CODE.unchecked,
    `it could not be checked for secrets, and nothing unchecked is posted (${why}): try again in a while`,
  );
}
