import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject } from './script.js';

/** A request as the stub got it. */
export interface ModelRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  /** The body as it came. */
  readonly text: string;
  /** The body's object; empty for anything else. */
  readonly body: JsonObject;
  readonly model: string;
  readonly tools: readonly OfferedTool[];
}

/** A tool that the model may use. */
export interface OfferedTool {
  readonly name: string;
  /** OpenAI's group that it is in, which a call has to name too; for others `null`. */
  readonly namespace: string | null;
}

export function toModelRequest(
  method: string,
  url: string,
  headers: IncomingHttpHeaders,
  text: string,
): ModelRequest {
  const { pathname, search } = new URL(url, 'http://stub');
  const body = objectIn(text);
  const { model, tools, input } = body;
  return {
    method,
    path: pathname,
    query: search,
    headers,
    text,
    body,
    model: typeof model === 'string' ? model : '',
    tools: [...offered(tools, null), ...offeredInInput(input)],
  };
}

/** The tool of that name, or the one whose name ends so after `__`. Errors: when there is not exactly one. */
export function toolNamed(request: ModelRequest, name: string): OfferedTool {
  const exact = request.tools.filter((tool) => tool.name === name);
  const found = exact.length > 0 ? exact : request.tools.filter((tool) => tool.name.endsWith(`__${name}`));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const names = request.tools.map((tool) => tool.name).join(', ');
  throw new Error(`${String(found.length)} tools are called ${name}; offered: ${names}`);
}

/**
 * Some of OpenAI's models get their tools as an item of the input, which is there again in later requests, and some find
 * more by a search, whose result is in the input too.
 */
function offeredInInput(input: unknown): OfferedTool[] {
  const items = Array.isArray(input) ? input.filter(isObject) : [];
  const given = items.findLast(({ type }) => type === 'additional_tools');
  const found = items.filter(({ type }) => type === 'tool_search_output');
  const tools = [given, ...found].flatMap((item) => offered(item?.['tools'], null));
  return [...new Map(tools.map((tool) => [`${tool.namespace ?? ''}.${tool.name}`, tool])).values()];
}

function offered(tools: unknown, namespace: string | null): OfferedTool[] {
  if (!Array.isArray(tools)) return [];
  return tools.filter(isObject).flatMap(({ type, name, tools: inner }) => {
    const own = typeof name === 'string' ? name : String(type);
    return type === 'namespace' ? offered(inner, own) : [{ name: own, namespace }];
  });
}

function objectIn(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
