/** What a request to a model may ask for, and how it is sent on. */
import { isListedModel } from '../../../domain/egress/model-rule.js';
import type { ModelApi, ModelFeature, ModelRule } from '../../../domain/egress/route.js';
import { anthropicRequest } from './anthropic-request.js';
import { chatRequest } from './chat-request.js';
import type { JsonObject } from './json-body.js';
import { requireSmallLetters, RequestFormError, shown, type DialectRequest } from './request-parts.js';
import { responsesRequest } from './responses-request.js';

export type CheckedRequest =
  | {
      readonly kind: 'allowed';
      readonly body: JsonObject;
      readonly model: string;
      readonly factor: number;
    }
  | { readonly kind: 'refused'; readonly status: 400 | 403; readonly why: string };

const DIALECTS: Readonly<Record<ModelApi, (body: JsonObject, rule: ModelRule) => DialectRequest>> = {
  'anthropic-messages': anthropicRequest,
  'openai-responses': responsesRequest,
  'openai-chat': chatRequest,
};

/** Judges what was parsed, which is what is sent: a key that stood there twice has one value in both. */
export function checkRequest(body: JsonObject, rule: ModelRule): CheckedRequest {
  const refuse = (status: 400 | 403, why: string): CheckedRequest => ({ kind: 'refused', status, why });
  const { model } = body;
  if (typeof model !== 'string') return refuse(400, 'the body has no "model"');
  let asked: DialectRequest;
  try {
    requireSmallLetters(body);
    asked = DIALECTS[rule.api](body, rule);
  } catch (error) {
    if (error instanceof RequestFormError) return refuse(400, error.message);
    throw error;
  }
  const unlisted = [model, ...asked.otherModels].find((name) => !isListedModel(rule, name));
  if (unlisted !== undefined)
    return refuse(
      403,
      `the model ${shown(unlisted)} is not allowed here; allowed: ${rule.models.join(', ')}`,
    );
  const refused = asked.asked.find(([feature]) => !rule.allow.includes(feature));
  if (refused !== undefined) return refuse(403, whyNot(refused, rule));
  return { kind: 'allowed', body: { ...body, ...asked.changed }, model, factor: asked.factor };
}

function whyNot([feature, what]: readonly [ModelFeature, string], { allow }: ModelRule): string {
  const others = allow.length === 0 ? 'nothing of the kind is allowed' : `allowed are: ${allow.join(', ')}`;
  return `${what} is not allowed here (${feature}; ${others}); the provider would act on its own machines, outside this bottle`;
}
