import { isGrpcServiceError } from '@temporalio/client';

/** gRPC's status codes. */
const NOT_FOUND: readonly number[] = [5];
const REFUSED: readonly number[] = [/* PERMISSION_DENIED */ 7, /* UNIMPLEMENTED */ 12];
const AWAY: readonly number[] = [/* DEADLINE_EXCEEDED */ 4, /* UNAVAILABLE */ 14];

export function isNotFound(error: unknown): boolean {
  return isGrpcServiceError(error) && NOT_FOUND.includes(error.code);
}

/** Not for this caller, or not on this server at all. */
export function isRefused(error: unknown): error is Error & { readonly details: string } {
  return isGrpcServiceError(error) && REFUSED.includes(error.code);
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
