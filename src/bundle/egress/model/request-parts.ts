/** What the dialects of requests have in common. */
import { isRecord } from '../../../domain/base/is-record.js';
import type { ModelFeature } from '../../../domain/egress/route.js';
import type { JsonObject } from './json-body.js';

/** What a dialect says about a request that is well formed. */
export interface DialectRequest {
  /** What it asks for beyond an answer, each with words for it. */
  readonly asked: readonly (readonly [feature: ModelFeature, what: string])[];
  /** Other models that may answer in place of the one that is named. */
  readonly otherModels: readonly string[];
  /** Keys that are put in place of the client's. */
  readonly changed: JsonObject;
  /** How much dearer the processing is that it asks for. */
  readonly factor: number;
}

/** What is wrong with a request's form: its provider would say so too, or might read it in another way. */
export class RequestFormError extends Error {
  override readonly name = 'RequestFormError';
}

const SHOWN_CHARACTERS = 100;

/**
 * The tokens of output to ask for: what the client says, at most the cap.
 * @returns `undefined` when the client says nothing. Errors: `RequestFormError`
 */
export function cappedOutput(value: unknown, key: string, cap: number): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new RequestFormError(`"${key}" must be a whole number`);
  return Math.min(value, cap);
}

/** A list of objects, or nothing. Errors: `RequestFormError`. */
export function objectsIn(value: unknown, key: string): readonly JsonObject[] {
  if (value === undefined || value === null) return [];
  const items: readonly unknown[] = Array.isArray(value) ? value : [undefined];
  const objects = items.filter(isRecord);
  if (objects.length < items.length) throw new RequestFormError(`"${key}" must be a list of objects`);
  for (const object of objects) requireSmallLetters(object);
  return objects;
}

/** Some servers take keys in whatever letter case, and then the last one counts. Errors: `RequestFormError`. */
export function requireSmallLetters(object: JsonObject): void {
  const odd = Object.keys(object).find((key) => key !== key.toLowerCase());
  if (odd !== undefined) throw new RequestFormError(`the key ${shown(odd)} is not in small letters`);
}

/** Of the client's, for a message. */
export function shown(text: unknown): string {
  return JSON.stringify(String(text).slice(0, SHOWN_CHARACTERS));
}

/** Every object in a value, itself first; not what `skip` says, nor anything below it. */
export function* objectsWithin(
  value: unknown,
  skip: (owner: JsonObject, key: string) => boolean,
): Generator<JsonObject> {
  if (Array.isArray(value)) for (const item of value as readonly unknown[]) yield* objectsWithin(item, skip);
  else if (isRecord(value)) {
    yield value;
    for (const [key, inner] of Object.entries(value))
      if (!skip(value, key)) yield* objectsWithin(inner, skip);
  }
}
