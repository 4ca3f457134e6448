import { SlidingWindow } from '../../domain/base/sliding-window.js';
import { JSON_RPC_CODE, JsonRpcError } from '../jsonrpc/protocol.js';

export interface RateLimits {
  readonly callsPerMinute: number;
  readonly writesPerMinute: number;
}

export const DEFAULT_RATE_LIMITS: RateLimits = { callsPerMinute: 240, writesPerMinute: 30 };

/** `signal_done` has a small allowance of its own: an agent that spent its calls can still say it is done. */
const DONE_PER_MINUTE = 10;

export type CallKind = 'read' | 'write' | 'done' | 'unknown';

/** The run's rate limits. */
export class RateLimiter {
  readonly #calls: SlidingWindow;
  readonly #writes: SlidingWindow;
  readonly #done: SlidingWindow;

  constructor(limits: RateLimits, now: () => number) {
    this.#calls = new SlidingWindow(limits.callsPerMinute, now);
    this.#writes = new SlidingWindow(limits.writesPerMinute, now);
    this.#done = new SlidingWindow(DONE_PER_MINUTE, now);
  }

  /** Counts a call. Errors: `JsonRpcError` -32002 with the time to wait. */
  admit(kind: CallKind): void {
    if (kind === 'done') {
      this.#count(this.#done, 'signal_done calls');
      return;
    }
    this.#count(this.#calls, 'calls');
    if (kind === 'write') this.#count(this.#writes, 'writes');
  }

  #count(window: SlidingWindow, what: string): void {
    const retryAfterMs = window.take();
    if (retryAfterMs === 0) return;
    const message = `more than ${String(window.limit)} ${what} in a minute: wait ${String(Math.ceil(retryAfterMs / 1000))} s`;
    throw new JsonRpcError(JSON_RPC_CODE.rateLimited, message, { retryAfterMs });
  }
}
