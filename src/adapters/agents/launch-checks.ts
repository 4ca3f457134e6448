/** What a launch is asked for, before it reaches a command line. */
import { isListedModel } from '../../domain/egress/model-rule.js';
import type { ModelRule } from '../../domain/egress/route.js';
import { InvalidInputError } from '../../domain/base/errors.js';

/** Letters, digits and what model names have between them. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

export function isModelName(text: string): boolean {
  return NAME.test(text);
}

/** Errors: `InvalidInputError`, with what is allowed, for a model that the route does not let through. */
export function checkModel(provider: string, model: string | null, rule: ModelRule): void {
  if (model === null || (isModelName(model) && isListedModel(rule, model))) return;
  throw new InvalidInputError(
    `provider ${provider} has models ${rule.models.join(', ')}; "model" is ${model}`,
  );
}

/** Errors: `InvalidInputError` for what is no session of the provider's. */
export function checkedSession(
  provider: string,
  sessionId: string | null,
  isSession: (text: string) => boolean,
): string {
  if (sessionId !== null && isSession(sessionId)) return sessionId;
  throw new InvalidInputError(`not a session of provider ${provider}: ${JSON.stringify(sessionId)}`);
}

/** Errors: `InvalidInputError`, with what is allowed, for a variant that is not among them. */
export function checkVariant(provider: string, variant: string | null, variants: readonly string[]): void {
  if (variant === null || variants.includes(variant)) return;
  throw new InvalidInputError(
    `provider ${provider} has variants ${variants.join(', ')}; "variant" is ${variant}`,
  );
}
