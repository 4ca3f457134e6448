/** What the parts of a route's `model` may be: in manifests, which people write, and in `routes.json`. */
import type { ModelRule } from './route.js';

/** A model's name as vendors give them, with a `*` at its end for all that begin so; `*` alone is every model. */
const PATTERN = /^(?:[A-Za-z0-9][A-Za-z0-9._:@/-]{0,199}\*?|\*)$/;

/** More than any model writes in one answer. */
export const MOST_OUTPUT_TOKENS = 1_000_000;
/** Of a route that does not say. */
export const DEFAULT_OUTPUT_TOKENS = 64_000;
/** Others could carry a body that is not read. */
const METHODS = ['GET', 'HEAD', 'POST'];

export function isModelPattern(text: string): boolean {
  return PATTERN.test(text);
}

export function isOutputCap(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1 && value <= MOST_OUTPUT_TOKENS;
}

/** The method of a route to a model that such a route cannot have, if there is one. */
export function oddModelMethod(methods: readonly string[]): string | undefined {
  return methods.find((method) => !METHODS.includes(method));
}

export const MODEL_METHODS_TEXT = METHODS.join(', ');

/** Whether a request may ask for this model. */
export function isListedModel({ models }: Pick<ModelRule, 'models'>, model: string): boolean {
  return models.some((pattern) =>
    pattern.endsWith('*') ? model.startsWith(pattern.slice(0, -1)) : model === pattern,
  );
}
