import { isRecord } from '../../domain/base/is-record.js';
import { SlidingWindow } from '../../domain/base/sliding-window.js';
import type { Redact } from '../base/redact.js';
import { answerCall, readCall, readJson } from '../jsonrpc/dispatch.js';
import { answerJson, type OnPost } from '../jsonrpc/http-unix.js';
import {
  JSON_RPC_CODE,
  JsonRpcError,
  refusal,
  type JsonRpcRequest,
  type JsonRpcResponse,
} from '../jsonrpc/protocol.js';
import { Exchange } from './exchange.js';
import { MCP_VERSIONS, mcpMethods, type McpServerParts } from './mcp-methods.js';

export interface McpDoorOptions extends Omit<McpServerParts, 'progressMs'> {
  readonly redact: Redact;
  /** How many requests a minute that are no tool calls; those have the plane's limits. */
  readonly messagesPerMinute: number;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  readonly keepAliveMs?: number;
}

const KEEP_ALIVE_MS = 10_000;

/**
 * Answers the body of a POST to the server's path: MCP over streamable HTTP (specification 2025-11-25, "Transports"),
 * stateless. One message a request; batches left MCP with 2025-06-18. Never rejects for what a client sent.
 */
export function mcpDoor(options: McpDoorOptions): OnPost {
  const keepAliveMs = options.keepAliveMs ?? KEEP_ALIVE_MS;
  const window = new SlidingWindow(options.messagesPerMinute, options.now);
  return async (body, request, response) => {
    const refuse = (why: JsonRpcResponse): void => {
      answerJson(response, 400, options.redact(JSON.stringify(why)));
    };
    const message = readMessage(body);
    if (message !== 'no request' && 'jsonrpc' in message) {
      refuse(message);
      return;
    }
    const version = request.headers['mcp-protocol-version'];
    if (version !== undefined && !MCP_VERSIONS.some((known) => known === version)) {
      refuse(invalidRequest(`unsupported protocol version; there are ${MCP_VERSIONS.join(', ')}`));
      return;
    }
    if (message === 'no request') {
      response.writeHead(202).end();
      return;
    }
    const exchange = new Exchange(response, {
      redact: options.redact,
      mayStream: (request.headers.accept ?? '').includes('text/event-stream'),
      keepAliveMs,
    });
    const methods = mcpMethods({ ...options, progressMs: keepAliveMs }, (notification) => {
      exchange.tell(notification);
    });
    exchange.answer(
      await answerCall(message, {
        onFault: options.onFault,
        call: (method, params) => {
          const retryAfterMs = method === 'tools/call' ? 0 : window.take();
          if (retryAfterMs === 0) return methods(method, params);
          const why = `too many requests: wait ${String(Math.ceil(retryAfterMs / 1000))} s`;
          return Promise.reject(new JsonRpcError(JSON_RPC_CODE.rateLimited, why, { retryAfterMs }));
        },
      }),
    );
  };
}

/**
 * The request, or the response that says why it is none. Notifications and answers change nothing here: a call is not
 * cancelled, and nothing was asked.
 */
function readMessage(body: string): JsonRpcRequest | 'no request' | JsonRpcResponse {
  const parsed = readJson(body);
  if ('jsonrpc' in parsed) return parsed;
  const { message } = parsed;
  if (Array.isArray(message)) return invalidRequest('one message a request: MCP has no batches');
  if (isAnswer(message)) return 'no request';
  const call = readCall(message);
  if ('jsonrpc' in call) return call;
  const { id, method, params } = call;
  if (id === null) return invalidRequest('"id" must be a string or a number');
  return id === undefined ? 'no request' : { id, method, params };
}

function isAnswer(value: unknown): boolean {
  return isRecord(value) && value['jsonrpc'] === '2.0' && ('result' in value || 'error' in value);
}

function invalidRequest(why: string): JsonRpcResponse {
  return refusal(null, JSON_RPC_CODE.invalidRequest, `invalid request: ${why}`);
}
