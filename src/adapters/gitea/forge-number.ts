import { InvalidInputError } from '../../domain/base/errors.js';
import { isForgeNumber } from '../../domain/forge/issue.js';
import { excerpt } from './http/excerpt.js';

/** The number itself, when it can be an issue's or comment's. Errors: `InvalidInputError`. */
export function forgeNumber(value: unknown): number {
  if (isForgeNumber(value)) return value;
  // Typed callers can't get here, values from outside can: the wire protocols carry any JSON.
  const shown = excerpt(JSON.stringify([value]).slice(1, -1), '');
  throw new InvalidInputError(`${shown} is no number of an issue, pull request or comment`);
}
