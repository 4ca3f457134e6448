/** What the dialects of requests have in common. */
import { isRecord } from '../../../domain/base/is-record.js';
import type { ModelFeature, ModelRule } from '../../../domain/egress/route.js';
import { foldedLetters } from '../../../domain/text/folded-letters.js';
import type { JsonObject } from './json-body.js';

/** Something beyond an answer, with words for it. */
export type Asked = readonly [feature: ModelFeature, what: string];

/** How a model API's requests are read. */
export interface Dialect {
  /** What a tool is for that the client does not run itself. */
  readonly toolAsks: (tool: JsonObject) => readonly Asked[];
  /** What a model does by itself. */
  readonly modelAsks: (model: string) => readonly Asked[];
  /** Keys of the body that ask for something. */
  readonly keys: readonly (readonly [key: string, feature: ModelFeature])[];
  /** Keys of the body that hold the conversation. */
  readonly conversation: readonly string[];
  /** Whether what a part of the conversation has under a key means nothing to the provider. */
  readonly isOpaque: (part: JsonObject, key: string) => boolean;
  readonly partAsks: (part: JsonObject) => readonly Asked[];
  /** Models that may answer in place of the one that is named. Errors: `RequestFormError`. */
  readonly otherModels: (body: JsonObject) => readonly string[];
  /** Keys that are put in place of the client's. Errors: `RequestFormError`. */
  readonly changed: (body: JsonObject, rule: ModelRule) => JsonObject;
  /** How much dearer the processing is that it asks for. */
  readonly factor: (body: JsonObject) => number;
}

/** What is wrong with a request's form: its provider would say so too, or might read it in another way. */
export class RequestFormError extends Error {
  override readonly name = 'RequestFormError';
}

const SHOWN_CHARACTERS = 100;
/** All keys of these APIs are such, at the levels where clients name none of their own. */
const PLAIN_KEY = /^[a-z0-9_]+$/;

/** Whether a key of the client's says anything. */
export function isThere(value: unknown): boolean {
  return (
    value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0)
  );
}

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
  for (const object of objects) requirePlainKeys(object);
  return objects;
}

/**
 * Some servers fold the letters of keys, and then the last one counts: those in Go take `Store` and even `ſtore` for `store`.
 * Errors: `RequestFormError`.
 */
export function requirePlainKeys(object: JsonObject): void {
  const odd = Object.keys(object).find((key) => !PLAIN_KEY.test(key));
  if (odd !== undefined)
    throw new RequestFormError(`the key ${shown(odd)} is not of small letters a-z, digits and "_" alone`);
}

/**
 * What an object has under a key, also as a server reads it that folds letters. For what may have keys of the client's own
 * beside, such as the names in a tool's schema.
 * @param key plain
 */
export function valuesOf(object: JsonObject, key: string): readonly unknown[] {
  return Object.keys(object)
    .filter((name) => name === key || (name.length === key.length && isFoldedTo(name, key)))
    .map((name) => object[name]);
}

/** Most are plain, and asked about for each part of a conversation. */
function isFoldedTo(name: string, key: string): boolean {
  return !PLAIN_KEY.test(name) && foldedLetters(name) === key;
}

/** Of the client's, for a message. */
export function shown(text: unknown): string {
  return JSON.stringify(String(text).slice(0, SHOWN_CHARACTERS));
}

/** A tool of a type that the provider runs, now or when it is invented. */
export function serverTool(type: unknown): Asked {
  return ['server_tools', `a tool of the type ${shown(type)}`];
}
