import { createHash } from 'node:crypto';
import type { QueueContent } from '../domain/run/queue.js';
import type { DoneStatus } from '../domain/run/turn.js';
import { JSON_RPC_CODE, JsonRpcError } from './jsonrpc/protocol.js';

export interface DoneSignalOptions {
  /** Durable when it resolves, after everything logged before. */
  readonly send: (id: string, content: QueueContent) => Promise<void>;
  readonly slug: string;
  readonly turn: number;
}

/** `signal_done`: one message a turn. Its id derives from slug and turn, so a restarted sidecar makes no second signal. */
export class DoneSignal {
  readonly #options: DoneSignalOptions;
  #first: { readonly status: DoneStatus; readonly summary: string; readonly sent: Promise<void> } | undefined;

  constructor(options: DoneSignalOptions) {
    this.#options = options;
  }

  /**
   * Durable when it resolves; repeating it is fine. Errors: `JsonRpcError` -32005 for other content than the first
   * time; whatever `send` throws, after which it may be tried again.
   */
  async signal(status: DoneStatus, summary: string): Promise<void> {
    const first = this.#first;
    if (first === undefined) {
      const sent = this.#send(status, summary);
      this.#first = { status, summary, sent };
      return sent;
    }
    if (first.status !== status || first.summary !== summary) {
      const why = `this turn is already signalled as "${first.status}"; the first signal counts`;
      throw new JsonRpcError(JSON_RPC_CODE.alreadyDone, why, { status: first.status });
    }
    return first.sent;
  }

  async #send(status: DoneStatus, summary: string): Promise<void> {
    const { send, slug, turn } = this.#options;
    const id = createHash('sha256')
      .update(`${slug}:${String(turn)}:done`)
      .digest('hex')
      .slice(0, 32);
    try {
      await send(id, { kind: 'done', status, summary });
    } catch (error) {
      this.#first = undefined;
      throw error;
    }
  }
}
