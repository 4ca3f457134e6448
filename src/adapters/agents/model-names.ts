import { isListedModel } from '../../domain/egress/model-rule.js';
import type { ModelRule } from '../../domain/egress/route.js';
import { InvalidInputError } from '../../domain/base/errors.js';

/** Letters, digits and what model names have between them: it reaches a command line. */
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

/** Errors: `InvalidInputError`, with what is allowed, for a variant that is not among them. */
export function checkVariant(provider: string, variant: string | null, variants: readonly string[]): void {
  if (variant === null || variants.includes(variant)) return;
  throw new InvalidInputError(
    `provider ${provider} has variants ${variants.join(', ')}; "variant" is ${variant}`,
  );
}
