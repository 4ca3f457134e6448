import { isRecord } from '../../domain/base/is-record.js';
import type { CallHandler } from '../jsonrpc/dispatch.js';
import { JSON_RPC_CODE, JsonRpcError } from '../jsonrpc/protocol.js';
import type { Method } from '../plane/method.js';
import type { Plane } from '../plane/plane.js';
import { failedAnswer, toolAnswer, type ToolAnswer } from './tool-answer.js';
import { toolOf } from './tools.js';

/** Revisions of MCP, the newest first. What is served here, tools without sessions, is the same in all of them. */
export const MCP_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const;

/** Those of clients are numbers, or UUIDs. */
const MAX_TOKEN_CHARACTERS = 256;

export interface McpServerParts {
  /** As it introduces itself. */
  readonly name: string;
  readonly tools: readonly Method[];
  /** Scope, limits, log and redaction are there, not here. */
  readonly plane: Pick<Plane, 'call'>;
  /** Told what the client must not see. */
  readonly onFault: (error: unknown) => void;
  /** Told once to a client that connects. */
  readonly instructions: string;
  /** Between two notifications of progress, to a client that asked for them, ms. */
  readonly progressMs: number;
}

/** Sends a notification to the client, before the answer. */
export type Tell = (notification: {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}) => void;

type Params = Readonly<Record<string, unknown>>;

/**
 * A plane's methods as the tools of an MCP server, for one exchange (specification 2025-11-25, "Lifecycle", "Ping" and "Tools").
 * Errors of its methods: `JsonRpcError`.
 */
export function mcpMethods(parts: McpServerParts, tell: Tell): CallHandler {
  const methods = new Map<string, (params: Params) => unknown>([
    [
      'initialize',
      ({ protocolVersion }) => ({
        protocolVersion: MCP_VERSIONS.find((known) => known === protocolVersion) ?? MCP_VERSIONS[0],
        capabilities: { tools: {} },
        serverInfo: { name: parts.name, version: '1' },
        instructions: parts.instructions,
      }),
    ],
    ['ping', () => ({})],
    ['tools/list', () => ({ tools: parts.tools.map(toolOf) })],
    ['tools/call', (params) => callTool(params, parts, tell)],
  ]);
  return async (name, params = {}) => {
    const method = methods.get(name);
    if (method === undefined) {
      const known = [...methods.keys()].join(', ');
      throw new JsonRpcError(JSON_RPC_CODE.methodNotFound, `method not found; there are ${known}`);
    }
    if (!isRecord(params)) throw invalid('"params" must be an object');
    return await method(params);
  };
}

/** Errors: -32602 for an unknown tool and for what is no call of one, as MCP has it; everything else is an answer. */
async function callTool(params: Params, parts: McpServerParts, tell: Tell): Promise<ToolAnswer> {
  const { name, arguments: args = {}, _meta: meta } = params;
  if (typeof name !== 'string') throw invalid('"name" must be a string');
  if (!isRecord(args)) throw invalid('"arguments" must be an object');
  const method = parts.tools.find((known) => known.name === name);
  const stop = tellProgress(name, isRecord(meta) ? meta['progressToken'] : undefined, tell, parts.progressMs);
  try {
    // The plane hears of unknown tools too: they count against the limits and are logged.
    const outcome = await parts.plane.call(name, args);
    if (method !== undefined) return toolAnswer(method, outcome);
  } catch (error) {
    if (!(error instanceof JsonRpcError)) parts.onFault(error);
    if (method !== undefined) return failedAnswer(method, error);
  } finally {
    stop();
  }
  throw invalid(`unknown tool; there are ${parts.tools.map((each) => each.name).join(', ')}`);
}

/** Progress restarts the clock of clients that would give up on a long call. Returns what ends it. */
function tellProgress(name: string, progressToken: unknown, tell: Tell, everyMs: number): () => void {
  if (!isProgressToken(progressToken)) return () => undefined;
  let progress = 0;
  const timer = setInterval(() => {
    progress += 1;
    const params = { progressToken, progress, message: `${name} is still under way` };
    tell({ jsonrpc: '2.0', method: 'notifications/progress', params });
  }, everyMs);
  return () => {
    clearInterval(timer);
  };
}

/** Not one that the client makes as long as a body may be: it is sent again with each step. */
function isProgressToken(value: unknown): value is string | number {
  return typeof value === 'number' || (typeof value === 'string' && value.length <= MAX_TOKEN_CHARACTERS);
}

function invalid(why: string): JsonRpcError {
  return new JsonRpcError(JSON_RPC_CODE.invalidParams, why);
}
