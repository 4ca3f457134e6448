/**
 * ISO 8601 in UTC; `null` where the value is no time. For what comes from a row or a file, which may hold anything there.
 * @param value epoch milliseconds
 */
export function isoTimeOf(value: unknown): string | null {
  const date = new Date(typeof value === 'number' ? value : NaN);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
