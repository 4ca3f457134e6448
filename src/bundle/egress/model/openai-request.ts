/** Requests of OpenAI's Responses API, and of its Chat Completions API, which others speak too. */
import { fieldsOf, isRecord } from '../../../domain/base/is-record.js';
import type { JsonObject } from './json-body.js';
import {
  cappedOutput,
  isThere,
  objectsIn,
  requirePlainKeys,
  RequestFormError,
  serverTool,
  shown,
  valuesOf,
  type Asked,
  type Dialect,
} from './request-parts.js';

/** Tools that the client runs, and of responses the search among the request's own. */
const CHAT_TOOLS: readonly unknown[] = ['function', 'custom'];
const RESPONSES_TOOLS: readonly unknown[] = [...CHAT_TOOLS, 'local_shell', 'apply_patch', 'tool_search'];
/** Faster processing costs up to two and a half times as much. */
const FAST_FACTOR = 2.5;
const PLAIN_TIERS: readonly unknown[] = [undefined, null, 'auto', 'default', 'flex'];

const OPENAI: Pick<Dialect, 'isOpaque' | 'partAsks' | 'otherModels' | 'factor'> = {
  isOpaque: () => false,
  partAsks: (part) => {
    const asked: Asked[] = [];
    if (valuesOf(part, 'file_id').some(isThere)) asked.push(['files', 'a file kept at the provider']);
    if (Object.entries(part).some(([key, value]) => /_url$/i.test(key) && isRemote(value)))
      asked.push(['url_sources', 'a source that is a URL']);
    if (valuesOf(part, 'type').includes('item_reference'))
      asked.push(['store', 'an item kept at the provider']);
    return asked;
  },
  otherModels: () => [],
  factor: ({ service_tier }) => (PLAIN_TIERS.includes(service_tier) ? 1 : FAST_FACTOR),
};

export const OPENAI_RESPONSES: Dialect = {
  ...OPENAI,
  toolAsks: responsesTool,
  modelAsks: () => [],
  keys: [
    ['background', 'background'],
    ['store', 'store'],
    ['previous_response_id', 'store'],
    ['conversation', 'store'],
    // It is kept at the provider, with tools of its own.
    ['prompt', 'server_tools'],
  ],
  conversation: ['input'],
  changed: ({ max_output_tokens, store }, { maxOutputTokens }) => ({
    max_output_tokens:
      cappedOutput(max_output_tokens, 'max_output_tokens', maxOutputTokens) ?? maxOutputTokens,
    // Left out, the provider keeps it.
    ...(store === true ? {} : { store: false }),
  }),
};

export const OPENAI_CHAT: Dialect = {
  ...OPENAI,
  toolAsks: ({ type }) => (CHAT_TOOLS.includes(type) ? [] : [serverTool(type)]),
  // `gpt-4o-search-preview` and its like always search.
  modelAsks: (model) => (/search/i.test(model) ? [['server_tools', `the model ${shown(model)}`]] : []),
  keys: [
    ['web_search_options', 'server_tools'],
    ['store', 'store'],
  ],
  conversation: ['messages'],
  changed: (body, { maxOutputTokens, allow }) => {
    const { n = null, stream, stream_options: options } = body;
    if (isRecord(options)) requirePlainKeys(options);
    if (n !== null && n !== 1) throw new RequestFormError('"n" must be 1');
    const old = cappedOutput(body['max_tokens'], 'max_tokens', maxOutputTokens);
    const max = cappedOutput(body['max_completion_tokens'], 'max_completion_tokens', maxOutputTokens);
    return {
      ...(old === undefined ? {} : { max_tokens: old }),
      ...(max === undefined && old !== undefined ? {} : { max_completion_tokens: max ?? maxOutputTokens }),
      // Only where its client knows the key: other servers than OpenAI's refuse it.
      ...('store' in body && !allow.includes('store') ? { store: false } : {}),
      // What was used stands in a stream only when it is asked for.
      ...(stream === true ? { stream_options: { ...fieldsOf(options), include_usage: true } } : {}),
    };
  },
};

function responsesTool(tool: JsonObject): readonly Asked[] {
  const { type, environment } = tool;
  if (RESPONSES_TOOLS.includes(type)) return [];
  // A group of tools; one within another would be looked at once for each that it is in.
  if (type === 'namespace')
    return objectsIn(tool['tools'], 'tools').flatMap((inner) =>
      inner['type'] === 'namespace' ? [serverTool('namespace in a namespace')] : responsesTool(inner),
    );
  if (type === 'shell' && isRecord(environment)) {
    requirePlainKeys(environment);
    if (environment['type'] === 'local') return [];
  }
  if (type === 'mcp') return [['remote_mcp', 'a tool of the type "mcp"']];
  return [serverTool(type)];
}

/**
 * An image or file is either in the request itself or somewhere else. Other servers of the dialect take `video_url`,
 * `audio_url`, `document_url`, too: no list of them would stay whole.
 */
function isRemote(source: unknown): boolean {
  const urls = isRecord(source) ? valuesOf(source, 'url') : [source];
  return urls.some((url) => isThere(url) && !(typeof url === 'string' && /^data:/i.test(url)));
}
