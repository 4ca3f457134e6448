import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type ServerNotification,
} from '@modelcontextprotocol/sdk/types.js';
import type { CallOutcome } from '../forge/forge-plane.js';
import type { Method } from '../forge/method.js';
import { JSON_RPC_CODE, JsonRpcError } from '../jsonrpc/protocol.js';
import { toolAnswer, toolError, toolFault, type ToolAnswer } from './tool-answer.js';
import { instructionsFor, toolOf } from './tools.js';

export interface McpServerParts {
  readonly methods: readonly Method[];
  /** The forge plane's own call: scope, limits, log and redaction are there, not here. Throws as the plane does. */
  readonly call: (name: string, params: unknown) => Promise<CallOutcome>;
  readonly issue: number;
  /** Told about what the agent must not see: errors that are not `JsonRpcError`. */
  readonly onFault: (error: unknown) => void;
  /** Between two notifications of progress, to a client that asked for them, ms. */
  readonly progressMs: number;
}

/** What the SDK would check answers to its questions with. It asks none, and its own validator costs milliseconds. */
const NO_VALIDATOR = {
  getValidator: (): never => {
    throw new Error('nothing is asked of the client');
  },
};

/**
 * The methods as MCP tools, for one exchange. The SDK's high-level tools want zod schemas; ours are JSON Schema
 * already and are checked by the methods themselves, so the handlers are set directly.
 */
export function mcpServer(parts: McpServerParts): McpServer {
  const mcp = new McpServer(
    { name: 'bottle', version: '1' },
    {
      capabilities: { tools: {} },
      instructions: instructionsFor(parts.issue),
      jsonSchemaValidator: NO_VALIDATOR,
    },
  );
  mcp.server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: parts.methods.map(toolOf) }));
  mcp.server.setRequestHandler(CallToolRequestSchema, async ({ params }, { _meta, sendNotification }) => {
    const stop = tellProgress(params.name, _meta?.progressToken, sendNotification, parts.progressMs);
    try {
      return await callTool(params.name, params.arguments ?? {}, parts);
    } finally {
      stop();
    }
  });
  return mcp;
}

/** Errors: `McpError` -32602 for an unknown tool, as MCP has it; everything else is an answer. */
async function callTool(name: string, params: unknown, parts: McpServerParts): Promise<ToolAnswer> {
  const method = parts.methods.find((known) => known.name === name);
  try {
    const outcome = await parts.call(name, params);
    if (method === undefined) throw new Error('an unknown method was carried out');
    return toolAnswer(method, outcome);
  } catch (error) {
    if (
      method === undefined ||
      (error instanceof JsonRpcError && error.code === JSON_RPC_CODE.methodNotFound)
    ) {
      const known = parts.methods.map((each) => each.name).join(', ');
      throw new McpError(ErrorCode.InvalidParams, `unknown tool; there are ${known}`);
    }
    if (error instanceof JsonRpcError) return toolError(method, error);
    parts.onFault(error);
    return toolFault(method);
  }
}

/** Progress restarts the clock of clients that would give up on a long call. Returns what ends it. */
function tellProgress(
  name: string,
  progressToken: string | number | undefined,
  send: (notification: ServerNotification) => Promise<void>,
  everyMs: number,
): () => void {
  if (progressToken === undefined) return () => undefined;
  let progress = 0;
  const timer = setInterval(() => {
    progress += 1;
    const params = { progressToken, progress, message: `${name} is still under way` };
    void send({ method: 'notifications/progress', params });
  }, everyMs);
  return () => {
    clearInterval(timer);
  };
}
