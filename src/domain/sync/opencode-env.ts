import { InvalidInputError } from '../base/errors.js';

/** The keys that `opencode.env` must have, and the only ones that are used [S3]. */
export const OPENCODE_KEYS = [
  'OPENCODE_API_KEY',
  'OPENCODE_MODEL',
  'OPENCODE_VARIANT',
  'OPENCODE_AGENT',
] as const;
export type OpencodeKey = (typeof OPENCODE_KEYS)[number];

export interface OpencodeEnv {
  readonly values: Readonly<Record<OpencodeKey, string>>;
  /** Other names that the file has: they go nowhere. */
  readonly ignored: readonly string[];
}

const SAFE = /^[A-Za-z0-9._/-]+$/;
const ASSIGNMENT = /^(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$/;

/**
 * Reads the file's lines `KEY=value`; nothing in it is run or expanded. A value may stand in quotes. Errors:
 * `InvalidInputError` with everything that is wrong, by key and line, never with a value.
 * @param file for messages
 * @param overrides what goes before the file's values
 */
export function parseOpencodeEnv(
  text: string,
  file: string,
  overrides: Partial<Record<OpencodeKey, string | null>> = {},
): OpencodeEnv {
  const values = new Map<string, string>();
  const ignored: string[] = [];
  const problems: string[] = [];
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const where = `line ${String(index + 1)}`;
    const [, key, value] = ASSIGNMENT.exec(line) ?? [];
    if (key === undefined || value === undefined) problems.push(`${where} is not KEY=value`);
    else if (!isOpencodeKey(key)) ignored.push(key);
    else if (values.has(key)) problems.push(`${where} sets ${key} again`);
    else {
      values.set(key, unquoted(value));
      if (!isSafeValue(unquoted(value))) problems.push(`${where}: ${unsafe(key)}`);
    }
  }
  for (const [key, value] of Object.entries(overrides)) if (value !== null) values.set(key, value);
  const missing = OPENCODE_KEYS.filter((key) => !values.has(key));
  if (missing.length > 0) problems.push(`${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} missing`);
  if (problems.length > 0) throw new InvalidInputError(`${file}: ${problems.join('; ')}`);
  return { values: Object.fromEntries(values) as OpencodeEnv['values'], ignored };
}

/** Letters, digits and `._-/`: what may reach a command line [S3]. */
export function isSafeValue(value: string): boolean {
  return SAFE.test(value);
}

/** What is said of one that is not. @param name of a key or an option */
export function unsafe(name: string): string {
  return `${name} may have letters, digits and ._-/ only, and must not be empty`;
}

function isOpencodeKey(key: string): key is OpencodeKey {
  return OPENCODE_KEYS.some((known) => known === key);
}

function unquoted(value: string): string {
  return /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
}
