import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type ServerNotification,
} from '@modelcontextprotocol/sdk/types.js';
import { toolAnswer, type CallVerdict, type ToolAnswer } from './tool-answer.js';
import { toolOf, type ToolSource } from './tools.js';

export interface McpServerParts {
  /** As it introduces itself. */
  readonly name: string;
  readonly tools: readonly ToolSource[];
  /** The plane's own call: scope, limits, log and redaction are there, not here. Never rejects. */
  readonly call: (name: string, params: unknown) => Promise<CallVerdict>;
  /** Told once to a client that connects. */
  readonly instructions: string;
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
 * A plane's methods as MCP tools, for one exchange. The SDK's high-level tools want zod schemas; ours are JSON Schema
 * already and are checked by the methods themselves, so the handlers are set directly.
 */
export function mcpServer(parts: McpServerParts): McpServer {
  const mcp = new McpServer(
    { name: parts.name, version: '1' },
    { instructions: parts.instructions, jsonSchemaValidator: NO_VALIDATOR },
  );
  mcp.server.registerCapabilities({ tools: {} });
  mcp.server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: parts.tools.map(toolOf) }));
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
  // The plane hears of unknown ones too: they count against the limits and are logged.
  const verdict = await parts.call(name, params);
  const method = parts.tools.find((known) => known.name === name);
  if (method !== undefined) return toolAnswer(method, verdict);
  const known = parts.tools.map((each) => each.name).join(', ');
  throw new McpError(ErrorCode.InvalidParams, `unknown tool; there are ${known}`);
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
