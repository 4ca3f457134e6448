import { isRecord } from '../../domain/base/is-record.js';
import { StoreError } from './store-error.js';

/** Reads a JSON column that holds a list of strings. `where` names table, row and column for the error. */
export function stringList(text: string, where: string): string[] {
  const value = parse(text, where);
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
    throw corrupt(where, 'not a list of strings');
  return value;
}

/** Reads a JSON column that holds an object. */
export function jsonObject(text: string, where: string): Readonly<Record<string, unknown>> {
  const value = parse(text, where);
  if (!isRecord(value)) throw corrupt(where, 'not an object');
  return value;
}

function parse(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw corrupt(where, 'not JSON', error);
  }
}

function corrupt(where: string, what: string, cause?: unknown): StoreError {
  return new StoreError(`${where} is corrupt (${what}): restore the database from a backup`, { cause });
}
