/** What of Go's source a look at its lines tells: structs with the names of their fields in JSON, and constants. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files of some packages, one after the other. */
export type GoSource = string;

export interface GoField {
  /** The type without pointers and lists: `User`, `int64`. */
  readonly type: string;
  readonly isList: boolean;
}

/** @param directories of packages; their tests are left out */
export function readGo(...directories: readonly string[]): GoSource {
  const files = directories.flatMap((directory) =>
    readdirSync(directory)
      .filter((name) => name.endsWith('.go') && !name.endsWith('_test.go'))
      .map((name) => readFileSync(join(directory, name), 'utf8')),
  );
  return files.join('\n');
}

/** By the name in JSON; `undefined` where there is no such struct. */
export function fieldsOf(source: GoSource, struct: string): ReadonlyMap<string, GoField> | undefined {
  const body = new RegExp(`^type ${struct} struct \\{\\n(.*?)^\\}`, 'ms').exec(source)?.[1];
  if (body === undefined) return undefined;
  const fields = body.matchAll(/^\t\w+ +(\[\])?\*?([\w.]+) +`[^`]*\bjson:"([^",]+)[^`]*`/gm);
  return new Map(
    [...fields].map(([, list, type = '', name = '']) => [name, { type, isList: list !== undefined }]),
  );
}

/** Values of the text constants of a type. */
export function constantsOf(source: GoSource, type: string): string[] {
  return [...source.matchAll(new RegExp(`^\\t\\w+ +${type} += "([^"]*)"`, 'gm'))].map(
    ([, value = '']) => value,
  );
}

/** As a value of the type comes in JSON, as far as that is told by its name; a struct is an object. */
export function jsonTypeOf(source: GoSource, type: string): string {
  if (/^u?int(?:\d+)?$/.test(type)) return 'number';
  if (type === 'bool') return 'boolean';
  return fieldsOf(source, type) === undefined ? 'string' : 'object';
}

/** Everything in quotes. */
export function textsOf(source: GoSource): Set<string> {
  return new Set([...source.matchAll(/"([^"\n]*)"/g)].map(([, value = '']) => value));
}
