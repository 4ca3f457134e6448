import { isRecord } from '../../domain/base/is-record.js';
import {
  errorResponse,
  JSON_RPC_CODE,
  JsonRpcError,
  type JsonRpcCall,
  type JsonRpcId,
  type JsonRpcRequest,
  type JsonRpcResponse,
  refusal,
} from './protocol.js';

/** Runs one method. A thrown `JsonRpcError` is the answer; anything else becomes "internal error", without details. */
export type CallHandler = (method: string, params: unknown) => Promise<unknown>;

export interface DispatchOptions {
  readonly call: CallHandler;
  /** Told about what the caller must not see: errors that are not `JsonRpcError`. */
  readonly onFault: (error: unknown) => void;
}

const MAX_BATCH = 50;
/** Of all answers to a batch. */
const MAX_BATCH_BYTES = 1024 * 1024;

/**
 * Answers the text of one JSON-RPC message, single or batch; `undefined` when nothing is to be said (notifications).
 * Calls of a batch run one after another, in their order: "comment, then done" means that.
 */
export async function answerMessage(text: string, options: DispatchOptions): Promise<string | undefined> {
  const parsed = readJson(text);
  if ('jsonrpc' in parsed) return asText(parsed);
  const { message } = parsed;
  if (!Array.isArray(message)) return asText(await answerOne(message, options));
  const batch: readonly unknown[] = message;
  if (batch.length === 0)
    return asText(refusal(null, JSON_RPC_CODE.invalidRequest, 'invalid request: empty batch'));
  if (batch.length > MAX_BATCH) {
    const why = `invalid request: a batch has at most ${String(MAX_BATCH)} calls`;
    return asText(refusal(null, JSON_RPC_CODE.invalidRequest, why));
  }
  const responses: string[] = [];
  let bytes = 0;
  for (const entry of batch) {
    const response = await answerOne(entry, options);
    if (response === undefined) continue;
    const text = JSON.stringify(response);
    const isTooMuch = bytes + Buffer.byteLength(text) > MAX_BATCH_BYTES;
    const told = isTooMuch ? JSON.stringify(leftOut(response.id)) : text;
    bytes += Buffer.byteLength(told);
    responses.push(told);
  }
  return responses.length === 0 ? undefined : `[${responses.join(',')}]`;
}

/** In place of an answer: all of a batch are in memory until the last is there. */
function leftOut(id: JsonRpcId): JsonRpcResponse {
  const why = `the call was carried out, its answer is left out: those of this batch have more than ${String(MAX_BATCH_BYTES)} bytes; call again outside of a batch`;
  return errorResponse(id, new JsonRpcError(JSON_RPC_CODE.rateLimited, why, { retryAfterMs: 0 }));
}

async function answerOne(entry: unknown, options: DispatchOptions): Promise<JsonRpcResponse | undefined> {
  const call = readCall(entry);
  if ('jsonrpc' in call) return call;
  const response = await answerCall({ ...call, id: call.id ?? null }, options);
  return call.id === undefined ? undefined : response;
}

/** Never rejects: what is no `JsonRpcError` is told to `onFault`, and answered without details. */
export async function answerCall(
  { id, method, params }: JsonRpcRequest,
  { call, onFault }: Pick<DispatchOptions, 'call' | 'onFault'>,
): Promise<JsonRpcResponse> {
  try {
    return { jsonrpc: '2.0', id, result: (await call(method, params)) ?? null };
  } catch (error) {
    if (error instanceof JsonRpcError) return errorResponse(id, error);
    onFault(error);
    return refusal(id, JSON_RPC_CODE.internalError, 'internal error');
  }
}

/** What the text says, or the response that it is no JSON. */
export function readJson(text: string): { readonly message: unknown } | JsonRpcResponse {
  try {
    return { message: JSON.parse(text) };
  } catch {
    return refusal(null, JSON_RPC_CODE.parseError, 'parse error: not JSON');
  }
}

/** The call, or the response that says why it is none. */
export function readCall(entry: unknown): JsonRpcCall | JsonRpcResponse {
  const invalid = (id: JsonRpcId, why: string): JsonRpcResponse =>
    refusal(id, JSON_RPC_CODE.invalidRequest, `invalid request: ${why}`);
  if (!isRecord(entry)) return invalid(null, 'not an object');
  const id = entry['id'];
  if (!isId(id)) return invalid(null, '"id" must be a string, a number or null');
  if (entry['jsonrpc'] !== '2.0') return invalid(id ?? null, '"jsonrpc" must be "2.0"');
  const method = entry['method'];
  if (typeof method !== 'string') return invalid(id ?? null, '"method" must be a string');
  const params = entry['params'];
  if (params !== undefined && (typeof params !== 'object' || params === null)) {
    return invalid(id ?? null, '"params" must be an object or an array');
  }
  return { id, method, params };
}

function isId(value: unknown): value is JsonRpcId | undefined {
  return value === undefined || value === null || typeof value === 'string' || typeof value === 'number';
}

function asText(response: JsonRpcResponse | undefined): string | undefined {
  return response === undefined ? undefined : JSON.stringify(response);
}
