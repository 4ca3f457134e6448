/** Requests of OpenAI's Chat Completions API, which others speak too. */
import { isRecord } from '../../../domain/base/is-record.js';
import type { ModelFeature, ModelRule } from '../../../domain/egress/route.js';
import type { JsonObject } from './json-body.js';
import { isRemote, keepsAsks, processingFactor } from './openai-parts.js';
import {
  cappedOutput,
  objectsIn,
  objectsWithin,
  RequestFormError,
  shown,
  type DialectRequest,
} from './request-parts.js';

const CLIENT_TOOLS: readonly unknown[] = ['function', 'custom'];

type Asked = [feature: ModelFeature, what: string];

export function chatRequest(body: JsonObject, rule: ModelRule): DialectRequest {
  const { n, stream } = body;
  if (n !== undefined && n !== null && n !== 1) throw new RequestFormError('"n" must be 1');
  const asked: Asked[] = objectsIn(body['tools'], 'tools').flatMap(({ type }): Asked[] =>
    CLIENT_TOOLS.includes(type) ? [] : [['server_tools', `a tool of the type ${shown(type)}`]],
  );
  const search = body['web_search_options'];
  if (search !== undefined && search !== null) asked.push(['server_tools', '"web_search_options"']);
  asked.push(...keepsAsks(body));
  for (const part of objectsWithin(body['messages'], () => false)) asked.push(...partAsks(part));
  const old = cappedOutput(body['max_tokens'], 'max_tokens', rule.maxOutputTokens);
  const max = cappedOutput(body['max_completion_tokens'], 'max_completion_tokens', rule.maxOutputTokens);
  return {
    asked,
    otherModels: [],
    changed: {
      ...(old === undefined ? {} : { max_tokens: old }),
      ...(max === undefined && old !== undefined
        ? {}
        : { max_completion_tokens: max ?? rule.maxOutputTokens }),
      ...(stream === true ? { stream_options: withUsage(body['stream_options']) } : {}),
    },
    factor: processingFactor(body),
  };
}

/** What was used stands in a stream only when it is asked for. */
function withUsage(options: unknown): JsonObject {
  return { ...(isRecord(options) ? options : {}), include_usage: true };
}

function partAsks(part: JsonObject): Asked[] {
  const { image_url: image, file } = part;
  const asked: Asked[] = [];
  if (isRemote(isRecord(image) ? image['url'] : image)) asked.push(['url_sources', 'a source that is a URL']);
  const id = (isRecord(file) ? file['file_id'] : undefined) ?? part['file_id'];
  if (id !== undefined && id !== null) asked.push(['files', 'a file kept at the provider']);
  return asked;
}
