/** JSON-RPC 2.0 (https://www.jsonrpc.org/specification): words and codes, no transport. */

export type JsonRpcId = string | number | null;

/** Codes of the specification, then ours in the range it leaves to servers (-32000 to -32099). */
export const JSON_RPC_CODE = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** A write outside the run's issue and pull requests. `data`: operation, target, reason, writable (numbers). */
  outOfScope: -32001,
  /** Too many calls. `data`: retryAfterMs. */
  rateLimited: -32002,
  /** The forge refused or is away. `data`: status (0 when it did not answer), retryable. */
  forgeError: -32003,
  /** Passed on, but the answer will not come through this call. */
  pending: -32004,
  /** A second, different `signal_done` in one turn. */
  alreadyDone: -32005,
  /** A text that looks like it holds a secret: it was not posted. */
  secretFound: -32006,
  /** A text that could not be looked through for secrets: it was not posted, and may be tried again. */
  unchecked: -32007,
  /** No more of it in this turn. */
  usedUp: -32008,
} as const;

/** An error the caller is meant to see: code, message and data go over the wire as they are. */
export class JsonRpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: Readonly<Record<string, unknown>>,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = 'JsonRpcError';
  }
}

/** A call that is answered. */
export interface JsonRpcRequest {
  readonly id: JsonRpcId;
  readonly method: string;
  /** An object or an array; undefined when left out. */
  readonly params: unknown;
}

/** A call that was understood. `id` undefined: a notification, never answered. */
export interface JsonRpcCall extends Omit<JsonRpcRequest, 'id'> {
  readonly id: JsonRpcId | undefined;
}

export type JsonRpcResponse =
  | { readonly jsonrpc: '2.0'; readonly id: JsonRpcId; readonly result: unknown }
  | { readonly jsonrpc: '2.0'; readonly id: JsonRpcId; readonly error: JsonRpcErrorObject };

export interface JsonRpcErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

export function errorResponse(id: JsonRpcId, error: JsonRpcError): JsonRpcResponse {
  const { code, message, data } = error;
  return { jsonrpc: '2.0', id, error: data === undefined ? { code, message } : { code, message, data } };
}

export function refusal(id: JsonRpcId, code: number, message: string): JsonRpcResponse {
  return errorResponse(id, new JsonRpcError(code, message));
}
