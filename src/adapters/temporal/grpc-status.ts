import { isGrpcServiceError } from '@temporalio/client';

/** gRPC's status codes. */
const NOT_FOUND: readonly number[] = [5];
const AWAY: readonly number[] = [/* DEADLINE_EXCEEDED */ 4, /* UNAVAILABLE */ 14];

export function isNotFound(error: unknown): boolean {
  return isGrpcServiceError(error) && NOT_FOUND.includes(error.code);
}

/** No answer, or none in time. */
export function isAway(error: unknown): error is Error & { readonly details: string } {
  return isGrpcServiceError(error) && AWAY.includes(error.code);
}

/** gRPC's text without the parts that change from try to try. */
export function reasonOf(details: string): string {
  if (details.startsWith('Deadline exceeded')) return 'no answer';
  const [, last = details] = /Last error: (?:Error: )?(.*?)\.? Resolution note:/s.exec(details) ?? [];
  return last.replace(/ \(\d{4}-[^)]*\)/, '').trim();
}
