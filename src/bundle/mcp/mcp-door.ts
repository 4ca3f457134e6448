import {
  isJSONRPCRequest,
  JSONRPCMessageSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
  type JSONRPCMessage,
} from '@modelcontextprotocol/sdk/types.js';
import { SlidingWindow } from '../../domain/base/sliding-window.js';
import type { OnPost } from '../jsonrpc/http-unix.js';
import { errorResponse, JSON_RPC_CODE, JsonRpcError } from '../jsonrpc/protocol.js';
import type { Redact } from '../base/redact.js';
import { answerJson, ExchangeTransport } from './exchange-transport.js';
import { mcpServer, type McpServerParts } from './mcp-server.js';

export interface McpDoorOptions extends Omit<McpServerParts, 'progressMs'> {
  readonly redact: Redact;
  /** Told what goes wrong in the SDK. */
  readonly onFault: (error: unknown) => void;
  /** How many requests a minute that are no tool calls; those have the plane's limits. */
  readonly messagesPerMinute: number;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  readonly keepAliveMs?: number;
}

/** Answers the body of a POST to the server's path. Never rejects for what a client sent. */
export type McpDoor = OnPost;

const KEEP_ALIVE_MS = 10_000;

/**
 * MCP over streamable HTTP (specification 2025-11-25, "Transports"), stateless: every POST is served by a server of
 * its own. One message a request; batches left MCP with 2025-06-18.
 */
export function mcpDoor(options: McpDoorOptions): McpDoor {
  const keepAliveMs = options.keepAliveMs ?? KEEP_ALIVE_MS;
  const window = new SlidingWindow(options.messagesPerMinute, options.now);
  return async (body, request, response) => {
    const refuse = (status: number, code: number, why: string): void => {
      answerJson(response, status, JSON.stringify(errorResponse(null, new JsonRpcError(code, why))));
    };
    const message = readMessage(body);
    if ('refusal' in message) {
      refuse(400, ...message.refusal);
      return;
    }
    const version = request.headers['mcp-protocol-version'];
    if (version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(String(version))) {
      const known = SUPPORTED_PROTOCOL_VERSIONS.join(', ');
      refuse(400, JSON_RPC_CODE.invalidRequest, `unsupported protocol version; there are ${known}`);
      return;
    }
    // Notifications and answers change nothing here: a call is not cancelled, nothing was asked.
    if (!isJSONRPCRequest(message)) {
      response.writeHead(202).end();
      return;
    }
    const transport = new ExchangeTransport(response, {
      redact: options.redact,
      mayStream: (request.headers.accept ?? '').includes('text/event-stream'),
      keepAliveMs,
    });
    const retryAfterMs = message.method === 'tools/call' ? 0 : window.take();
    if (retryAfterMs > 0) {
      const why = `too many requests: wait ${String(Math.ceil(retryAfterMs / 1000))} s`;
      const error = { code: JSON_RPC_CODE.rateLimited, message: why, data: { retryAfterMs } };
      await transport.send({ jsonrpc: '2.0', id: message.id, error });
      return;
    }
    const server = mcpServer({ ...options, progressMs: keepAliveMs });
    server.server.onerror = options.onFault;
    await server.connect(transport);
    transport.onmessage?.(message);
  };
}

function readMessage(
  body: string,
): JSONRPCMessage | { readonly refusal: readonly [code: number, why: string] } {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return { refusal: [JSON_RPC_CODE.parseError, 'parse error: not JSON'] };
  }
  const parsed = JSONRPCMessageSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const why = 'invalid request: the body must be one JSON-RPC 2.0 message; there are no batches';
  return { refusal: [JSON_RPC_CODE.invalidRequest, why] };
}
