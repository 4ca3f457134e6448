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

// Each says what is wrong, to stand behind the name of what it is; `undefined` for what is right.

export function whyNoModelPattern(text: string): string | undefined {
  return PATTERN.test(text) ? undefined : 'must be the name of a model, or its beginning and a *';
}

export function whyNoOutputCap(value: unknown): string | undefined {
  const isRight = Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= MOST_OUTPUT_TOKENS;
  return isRight ? undefined : `must be a whole number from 1 to ${String(MOST_OUTPUT_TOKENS)}`;
}

/** @param methods of a route to a model */
export function whyNoModelMethods(methods: readonly string[]): string | undefined {
  const odd = methods.find((method) => !METHODS.includes(method));
  return odd === undefined ? undefined : `of a route to a model are ${METHODS.join(', ')}: not ${odd}`;
}

/** Whether a request may ask for this model. */
export function isListedModel({ models }: Pick<ModelRule, 'models'>, model: string): boolean {
  return models.some((pattern) =>
    pattern.endsWith('*') ? model.startsWith(pattern.slice(0, -1)) : model === pattern,
  );
}
