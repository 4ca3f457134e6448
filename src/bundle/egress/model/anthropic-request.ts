/** Requests of Anthropic's Messages API. */
import { isRecord } from '../../../domain/base/is-record.js';
import type { ModelRule } from '../../../domain/egress/route.js';
import type { JsonObject } from './json-body.js';
import {
  cappedOutput,
  isThere,
  objectsIn,
  RequestFormError,
  serverTool,
  valuesOf,
  type Asked,
  type Dialect,
} from './request-parts.js';

/** Tools that the client runs, and the search among the request's own tools ("Tool reference"). */
const CLIENT_TOOL =
  /^(?:custom|(?:bash|text_editor|memory|computer|tool_search_tool_[a-z0-9]+)_[0-9]{8}|tool_search_tool_[a-z0-9]+)$/;
/** Fast mode costs up to six times as much. */
const FAST_FACTOR = 6;
/**
 * What runs in the US alone costs 1.1 times as much on models since Opus 4.6, on top of fast mode: "Pricing", "Data residency
 * pricing". Older ones refuse the key; a place that is new is taken to cost as much.
 */
const PLACE_FACTOR = 1.1;
/** The least that a model may think. */
const LEAST_THINKING = 1024;

export const ANTHROPIC_MESSAGES: Dialect = {
  toolAsks: ({ type }) => {
    if (type === undefined || type === null) return [];
    if (type === 'mcp_toolset') return [['remote_mcp', 'a tool of the type "mcp_toolset"']];
    return typeof type === 'string' && CLIENT_TOOL.test(type) ? [] : [serverTool(type)];
  },
  modelAsks: () => [],
  keys: [
    ['mcp_servers', 'remote_mcp'],
    ['container', 'server_tools'],
  ],
  conversation: ['messages', 'system'],
  // What the model itself wrote for a tool.
  isOpaque: ({ type }, key) => key === 'input' && typeof type === 'string' && type.endsWith('tool_use'),
  partAsks: (part) => {
    const sources = valuesOf(part, 'source').filter(isRecord);
    const types = sources.flatMap((source) => valuesOf(source, 'type'));
    const asked: Asked[] = [];
    if (types.includes('url') || sources.some((source) => valuesOf(source, 'url').some(isThere)))
      asked.push(['url_sources', 'a source that is a URL']);
    if (types.includes('file') || valuesOf(part, 'file_id').some(isThere))
      asked.push(['files', 'a file kept at the provider']);
    if (valuesOf(part, 'type').includes('container_upload'))
      asked.push(['files', 'an upload to a container']);
    return asked;
  },
  // By default the provider would choose.
  otherModels: ({ fallbacks }) =>
    fallbacks === 'default'
      ? ['claude-']
      : objectsIn(fallbacks, 'fallbacks').map(({ model }) => String(model)),
  changed: (body, rule) => ({ ...fallbacksOf(body, rule), ...outputOf(body, rule) }),
  factor: (body) => {
    const { fallbacks, inference_geo: place } = body;
    // A model that takes the place of the named one may have a speed of its own.
    const all = [body, ...(Array.isArray(fallbacks) ? fallbacks.filter(isRecord) : [])];
    const isFast = all.some(({ speed }) => isThere(speed) && speed !== 'standard');
    return (isFast ? FAST_FACTOR : 1) * (isThere(place) && place !== 'global' ? PLACE_FACTOR : 1);
  },
};

function fallbacksOf({ fallbacks }: JsonObject, { maxOutputTokens }: ModelRule): JsonObject {
  if (!isThere(fallbacks) || fallbacks === 'default') return {};
  const entries = objectsIn(fallbacks, 'fallbacks').map((entry) => {
    const cap = cappedOutput(entry['max_tokens'], 'fallbacks.max_tokens', maxOutputTokens);
    if (isThere(entry['tools'])) throw new RequestFormError('"fallbacks" may have no tools of their own');
    return cap === undefined ? entry : { ...entry, max_tokens: cap };
  });
  return { fallbacks: entries };
}

function outputOf({ max_tokens, thinking }: JsonObject, { maxOutputTokens }: ModelRule): JsonObject {
  const max = cappedOutput(max_tokens, 'max_tokens', maxOutputTokens);
  if (max === undefined) return {};
  // It must be less than what the answer may have.
  return isRecord(thinking) &&
    typeof thinking['budget_tokens'] === 'number' &&
    thinking['budget_tokens'] >= max &&
    max > LEAST_THINKING
    ? { max_tokens: max, thinking: { ...thinking, budget_tokens: max - 1 } }
    : { max_tokens: max };
}
