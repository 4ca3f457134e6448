export type Redact = (text: string) => string;

/** For the texts in a call's parameters; they are one level deep in every method. */
export function redactParams(params: unknown, redact: Redact): unknown {
  const one = (value: unknown): unknown => (typeof value === 'string' ? redact(value) : value);
  if (Array.isArray(params)) return params.map(one);
  if (typeof params !== 'object' || params === null) return params;
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, one(value)]));
}
