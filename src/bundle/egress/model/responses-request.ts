/** Requests of OpenAI's Responses API. */
import { isRecord } from '../../../domain/base/is-record.js';
import type { ModelFeature, ModelRule } from '../../../domain/egress/route.js';
import type { JsonObject } from './json-body.js';
import { isRemote, keepsAsks, processingFactor } from './openai-parts.js';
import { cappedOutput, objectsIn, objectsWithin, shown, type DialectRequest } from './request-parts.js';

/** Tools that the client runs, and the search among the request's own; every other type is one that the provider runs. */
const CLIENT_TOOLS: readonly unknown[] = ['function', 'custom', 'local_shell', 'apply_patch', 'tool_search'];

type Asked = [feature: ModelFeature, what: string];

export function responsesRequest(body: JsonObject, rule: ModelRule): DialectRequest {
  const asked: Asked[] = objectsIn(body['tools'], 'tools').flatMap(toolAsks);
  if (isThere(body['background'])) asked.push(['background', '"background"']);
  asked.push(...keepsAsks(body));
  for (const key of ['previous_response_id', 'conversation'])
    if (isThere(body[key])) asked.push(['store', `"${key}"`]);
  // It is kept at the provider, with tools of its own.
  if (isThere(body['prompt'])) asked.push(['server_tools', '"prompt"']);
  for (const part of objectsWithin(body['input'], () => false)) asked.push(...partAsks(part));
  const max = cappedOutput(body['max_output_tokens'], 'max_output_tokens', rule.maxOutputTokens);
  return {
    asked,
    otherModels: [],
    changed: {
      max_output_tokens: max ?? rule.maxOutputTokens,
      // Left out, the provider keeps it.
      ...(body['store'] === true ? {} : { store: false }),
    },
    factor: processingFactor(body),
  };
}

function toolAsks(tool: JsonObject): Asked[] {
  const { type, environment } = tool;
  if (CLIENT_TOOLS.includes(type)) return [];
  // A group of tools.
  if (type === 'namespace') return objectsIn(tool['tools'], 'tools').flatMap(toolAsks);
  if (type === 'shell' && isRecord(environment) && environment['type'] === 'local') return [];
  if (type === 'mcp') return [['remote_mcp', 'a tool of the type "mcp"']];
  return [['server_tools', `a tool of the type ${shown(type)}`]];
}

function partAsks(part: JsonObject): Asked[] {
  const asked: Asked[] = [];
  if (isThere(part['file_id'])) asked.push(['files', 'a file kept at the provider']);
  if (isThere(part['file_url']) || isRemote(part['image_url']))
    asked.push(['url_sources', 'a source that is a URL']);
  if (part['type'] === 'item_reference') asked.push(['store', 'an item kept at the provider']);
  // Tools may be brought in the middle of a conversation.
  if (Array.isArray(part['tools'])) asked.push(...part['tools'].filter(isRecord).flatMap(toolAsks));
  return asked;
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}
