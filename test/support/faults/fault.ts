/** What happens to one request on its way to the forge or to the answer on its way back. */
export type Fault =
  | { readonly kind: 'none' }
  /** The connection is reset before anything reaches the forge. */
  | { readonly kind: 'reset_before' }
  /** The forge has acted and answered in full; instead of its answer comes a reset. */
  | { readonly kind: 'reset_after' }
  /** The request waits on its way; it still goes on when its sender has given up meanwhile. */
  | { readonly kind: 'hold_request'; readonly until: () => Promise<unknown> }
  | { readonly kind: 'hold_answer'; readonly until: () => Promise<unknown> }
  /** Another answer. `forwarded`: the forge has got the request and has acted. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly forwarded: boolean;
      readonly retryAfter?: string;
    }
  /** Head and half of the body (or what `cut` makes of it), then the end. `hidden`: the head says that this is all. */
  | { readonly kind: 'truncated'; readonly hidden: boolean; readonly cut?: (body: Buffer) => Buffer }
  /** The answer comes in that many pieces with a pause between them. */
  | { readonly kind: 'slow_drip'; readonly pieces: number; readonly everyMs: number };

export const NO_FAULT: Fault = { kind: 'none' };

/** A request as the proxy saw it. */
export interface ProxiedRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}
