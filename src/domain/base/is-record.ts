/** Of something from outside: an object with keys, no list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Of something from outside: an object's fields, none of anything else. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

/** Of something from outside: an object with these whole numbers and texts. */
export function hasFields(value: unknown, numbers: readonly string[], texts: readonly string[]): boolean {
  return (
    isRecord(value) &&
    numbers.every((name) => Number.isInteger(value[name])) &&
    texts.every((name) => typeof value[name] === 'string')
  );
}

/** The object in a JSON text; `undefined` for any other text. */
export function recordIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
