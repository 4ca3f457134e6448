/** Requests of Anthropic's Messages API. */
import { isRecord } from '../../../domain/base/is-record.js';
import type { ModelFeature, ModelRule } from '../../../domain/egress/route.js';
import type { JsonObject } from './json-body.js';
import {
  cappedOutput,
  objectsIn,
  objectsWithin,
  RequestFormError,
  shown,
  type DialectRequest,
} from './request-parts.js';

/**
 * Tools that the client runs, and the search among the request's own tools ("Tool reference"). Every other type is one
 * that the provider runs, now or when it is invented.
 */
const CLIENT_TOOL =
  /^(?:custom|(?:bash|text_editor|memory|computer|tool_search_tool_[a-z0-9]+)_[0-9]{8}|tool_search_tool_[a-z0-9]+)$/;
/** Fast mode costs up to six times as much. */
const FAST_FACTOR = 6;
/** The least that a model may think. */
const LEAST_THINKING = 1024;

type Asked = [feature: ModelFeature, what: string];

export function anthropicRequest(body: JsonObject, rule: ModelRule): DialectRequest {
  const asked: Asked[] = [];
  for (const tool of objectsIn(body['tools'], 'tools')) asked.push(...toolAsks(tool));
  if (isThere(body['mcp_servers'])) asked.push(['remote_mcp', '"mcp_servers"']);
  if (isThere(body['container'])) asked.push(['server_tools', '"container"']);
  for (const part of [body['messages'], body['system']])
    for (const block of objectsWithin(part, isToolInput)) asked.push(...blockAsks(block));
  const { otherModels, changed } = fallbacks(body['fallbacks'], rule);
  return {
    asked,
    otherModels,
    changed: { ...changed, ...outputOf(body, rule) },
    factor:
      body['speed'] === undefined || body['speed'] === null || body['speed'] === 'standard' ? 1 : FAST_FACTOR,
  };
}

function toolAsks(tool: JsonObject): Asked[] {
  const { type } = tool;
  if (type === undefined || type === null) return [];
  if (type === 'mcp_toolset') return [['remote_mcp', 'a tool of the type "mcp_toolset"']];
  return typeof type === 'string' && CLIENT_TOOL.test(type)
    ? []
    : [['server_tools', `a tool of the type ${shown(type)}`]];
}

/** What the model itself wrote for a tool means nothing to the provider. */
function isToolInput({ type }: JsonObject, key: string): boolean {
  return key === 'input' && typeof type === 'string' && type.endsWith('tool_use');
}

function blockAsks(block: JsonObject): Asked[] {
  const { source, type } = block;
  const kind = isRecord(source) ? source['type'] : undefined;
  const asked: Asked[] = [];
  if (kind === 'url' || (isRecord(source) && isThere(source['url'])))
    asked.push(['url_sources', 'a source that is a URL']);
  if (kind === 'file' || isThere(block['file_id'])) asked.push(['files', 'a file kept at the provider']);
  if (type === 'container_upload') asked.push(['files', 'an upload to a container']);
  for (const tool of toolsIn(block)) asked.push(...toolAsks(tool));
  return asked;
}

/** Tools may be brought in the middle of a conversation. */
function toolsIn(block: JsonObject): readonly JsonObject[] {
  return Array.isArray(block['tools']) ? block['tools'].filter(isRecord) : [];
}

/** Models that answer when the first one declines. */
function fallbacks(
  value: unknown,
  rule: ModelRule,
): { readonly otherModels: readonly string[]; readonly changed: JsonObject } {
  if (value === undefined || value === null) return { otherModels: [], changed: {} };
  // The provider would choose.
  if (value === 'default') return { otherModels: ['claude-'], changed: {} };
  const entries = objectsIn(value, 'fallbacks').map((entry) => {
    const cap = cappedOutput(entry['max_tokens'], 'fallbacks.max_tokens', rule.maxOutputTokens);
    if (isThere(entry['tools'])) throw new RequestFormError('"fallbacks" may have no tools of their own');
    return cap === undefined ? entry : { ...entry, max_tokens: cap };
  });
  return { otherModels: entries.map(({ model }) => String(model)), changed: { fallbacks: entries } };
}

function outputOf(body: JsonObject, { maxOutputTokens }: ModelRule): JsonObject {
  const max = cappedOutput(body['max_tokens'], 'max_tokens', maxOutputTokens);
  if (max === undefined) return {};
  const { thinking } = body;
  const budget = isRecord(thinking) ? thinking['budget_tokens'] : undefined;
  // It must be less than what the answer may have.
  return typeof budget === 'number' && budget >= max && max > LEAST_THINKING
    ? { max_tokens: max, thinking: { ...(isRecord(thinking) ? thinking : {}), budget_tokens: max - 1 } }
    : { max_tokens: max };
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}
