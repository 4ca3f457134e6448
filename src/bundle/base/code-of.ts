import { messageOf } from '../../domain/base/message-of.js';

/** What the system calls an error, such as `ECONNRESET`; what it says, where that has no name. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : messageOf(error);
}
