import { InvalidInputError } from '../../domain/errors.js';

/** Letters, digits and what model names have between them: it reaches a command line. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/**
 * Errors: `InvalidInputError`, with what is allowed, for a model that is not among them.
 *
 * @param models exact names, or beginnings before a `*`
 */
export function checkModel(provider: string, model: string | null, models: readonly string[]): void {
  if (model === null) return;
  const isAllowed = models.some((one) =>
    one.endsWith('*') ? model.startsWith(one.slice(0, -1)) : model === one,
  );
  if (NAME.test(model) && isAllowed) return;
  throw new InvalidInputError(`provider ${provider} has models ${models.join(', ')}; "model" is ${model}`);
}

/** Errors: `InvalidInputError`, with what is allowed, for a variant that is not among them. */
export function checkVariant(provider: string, variant: string | null, variants: readonly string[]): void {
  if (variant === null || variants.includes(variant)) return;
  throw new InvalidInputError(
    `provider ${provider} has variants ${variants.join(', ')}; "variant" is ${variant}`,
  );
}
