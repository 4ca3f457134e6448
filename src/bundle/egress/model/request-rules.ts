/** What a request to a model may ask for, and how it is sent on. */
import { isRecord } from '../../../domain/base/is-record.js';
import { isListedModel } from '../../../domain/egress/model-rule.js';
import type { ModelApi, ModelRule } from '../../../domain/egress/route.js';
import { ANTHROPIC_MESSAGES } from './anthropic-request.js';
import type { JsonObject } from './json-body.js';
import { objectsWithin } from './objects-within.js';
import { OPENAI_CHAT, OPENAI_RESPONSES } from './openai-request.js';
import {
  isThere,
  objectsIn,
  requirePlainKeys,
  RequestFormError,
  shown,
  valuesOf,
  type Asked,
  type Dialect,
} from './request-parts.js';

export type CheckedRequest =
  | {
      readonly kind: 'allowed';
      readonly body: JsonObject;
      /** That may answer: the one that is named, then those that would take its place. */
      readonly models: readonly string[];
      readonly factor: number;
    }
  | { readonly kind: 'refused'; readonly status: 400 | 403; readonly why: string };

const DIALECTS: Readonly<Record<ModelApi, Dialect>> = {
  'anthropic-messages': ANTHROPIC_MESSAGES,
  'openai-responses': OPENAI_RESPONSES,
  'openai-chat': OPENAI_CHAT,
};

/** Judges what was parsed, which is what is sent: a key that stood there twice has one value in both. */
export function checkRequest(body: JsonObject, rule: ModelRule): CheckedRequest {
  try {
    return judged(body, rule);
  } catch (error) {
    if (error instanceof RequestFormError) return { kind: 'refused', status: 400, why: error.message };
    throw error;
  }
}

/** Errors: `RequestFormError`. */
function judged(body: JsonObject, rule: ModelRule): CheckedRequest {
  const { model } = body;
  if (typeof model !== 'string') throw new RequestFormError('the body has no "model"');
  requirePlainKeys(body);
  const dialect = DIALECTS[rule.api];
  const asked = [...dialect.modelAsks(model), ...asksOf(body, dialect)];
  const models = [model, ...dialect.otherModels(body)];
  const sent = { ...body, ...dialect.changed(body, rule) };
  const unlisted = models.find((name) => !isListedModel(rule, name));
  if (unlisted !== undefined) {
    const why = `the model ${shown(unlisted)} is not allowed here; allowed: ${rule.models.join(', ')}`;
    return { kind: 'refused', status: 403, why };
  }
  const refused = asked.find(([feature]) => !rule.allow.includes(feature));
  if (refused !== undefined) return { kind: 'refused', status: 403, why: whyNot(refused, rule) };
  return { kind: 'allowed', body: sent, models, factor: dialect.factor(body) };
}

/** What it asks for beyond an answer. */
function asksOf(body: JsonObject, dialect: Dialect): readonly Asked[] {
  const { toolAsks, keys, conversation, isOpaque, partAsks } = dialect;
  const asked: Asked[] = objectsIn(body['tools'], 'tools').flatMap(toolAsks);
  for (const [key, feature] of keys) if (isThere(body[key])) asked.push([feature, `"${key}"`]);
  for (const key of conversation)
    for (const part of objectsWithin(body[key], isOpaque)) {
      asked.push(...partAsks(part));
      // Tools may be brought in the middle of a conversation.
      for (const tools of valuesOf(part, 'tools'))
        for (const tool of Array.isArray(tools) ? tools.filter(isRecord) : []) {
          requirePlainKeys(tool);
          asked.push(...toolAsks(tool));
        }
    }
  return asked;
}

function whyNot([feature, what]: Asked, { allow }: ModelRule): string {
  const others = allow.length === 0 ? 'nothing of the kind is allowed' : `allowed are: ${allow.join(', ')}`;
  return `${what} is not allowed here (${feature}; ${others}); the provider would act on its own machines, outside this bottle`;
}
