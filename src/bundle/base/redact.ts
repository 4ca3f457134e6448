const PLACEHOLDER = '[secret]';

export type Redact = (text: string) => string;

/**
 * Takes our own secrets out of a text, wherever it came from: neither an answer nor a log line ever carries one.
 * @param secrets of characters that JSON does not escape, see `readToken`
 */
export function redactor(secrets: readonly string[]): Redact {
  return (text) => secrets.reduce((clean, secret) => clean.replaceAll(secret, PLACEHOLDER), text);
}

/** The same for the texts in a call's parameters; they are one level deep in every method. */
export function redactParams(params: unknown, redact: Redact): unknown {
  const one = (value: unknown): unknown => (typeof value === 'string' ? redact(value) : value);
  if (Array.isArray(params)) return params.map(one);
  if (typeof params !== 'object' || params === null) return params;
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, one(value)]));
}
