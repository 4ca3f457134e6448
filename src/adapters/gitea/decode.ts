import { isRecord } from '../../domain/base/is-record.js';
import { BotBottleError } from '../../domain/base/errors.js';

/** The forge answered JSON of another shape than its API promises: a newer version, or another program. */
export class UnexpectedShapeError extends BotBottleError {
  constructor(what: string) {
    super(
      'forge_shape',
      `the forge's answer has no valid ${what}: is this a Gitea or Forgejo, of a known version?`,
      false,
    );
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function asObject(value: unknown, what: string): JsonObject {
  if (!isRecord(value)) throw new UnexpectedShapeError(what);
  return value;
}

/** An absent or `null` list is empty: Gitea writes it so in places. */
export function asList(value: unknown, what: string): readonly JsonObject[] {
  return itemsOf(value, what).map((item) => asObject(item, what));
}

/** A list in which Gitea may write `null` for what it can't show: a reference from a comment that was deleted since. */
export function asEntries(value: unknown, what: string): readonly (JsonObject | null)[] {
  return itemsOf(value, what).map((item) => (item === null ? null : asObject(item, what)));
}

function itemsOf(value: unknown, what: string): readonly unknown[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw new UnexpectedShapeError(what);
  return value;
}

export function textOf(object: JsonObject, key: string): string {
  const value = object[key];
  if (typeof value !== 'string') throw new UnexpectedShapeError(key);
  return value;
}

/** Text that may be absent or `null`, then empty. */
export function textOrEmpty(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === 'string' ? value : '';
}

export function textOrNull(object: JsonObject, key: string): string | null {
  const value = object[key];
  return typeof value === 'string' && value !== '' ? value : null;
}

export function integerOf(object: JsonObject, key: string): number {
  const value = object[key];
  if (!Number.isSafeInteger(value)) throw new UnexpectedShapeError(key);
  return value as number;
}

export function flagOf(object: JsonObject, key: string): boolean {
  return object[key] === true;
}
