const ENGINE_TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:Z|\+00:00)$/;

/** A time stamp of the engine: ISO 8601 in UTC with exactly nine digits, so that text order is time order. */
export function normaliseEngineTime(text: string): string | undefined {
  const match = ENGINE_TIME.exec(text);
  if (match?.[1] === undefined || Number.isNaN(Date.parse(`${match[1]}Z`))) return undefined;
  return `${match[1]}.${(match[2] ?? '').padEnd(9, '0')}Z`;
}

/**
 * `<seconds>.<nanoseconds>` of so many seconds before, as the engine's `since` takes it. `Date` alone would lose the last
 * six digits.
 */
export function toUnixNanos(normalised: string, secondsBefore: number): string {
  const seconds = Math.max(0, Date.parse(`${normalised.slice(0, 19)}Z`) / 1000 - secondsBefore);
  return `${String(seconds)}.${normalised.slice(20, 29)}`;
}
