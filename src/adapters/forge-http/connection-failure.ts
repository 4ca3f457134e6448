import { ForgeHttpError } from '../../domain/errors.js';
import { ResponseTooLargeError } from './http-transport.js';

/** Why one attempt failed, and what that allows. */
export interface Failure {
  readonly error: ForgeHttpError;
  /** Certainly not carried out: may be repeated whatever the method. */
  readonly repeatable: boolean;
  /** Milliseconds the server asked to wait. */
  readonly askedMs: number | undefined;
}

const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** An exchange without a whole answer. @param setting the one that names the forge's address, for the message */
export function connectionFailure(method: string, path: string, cause: unknown, setting: string): Failure {
  const said = cause instanceof Error ? cause.message : 'unknown fault';
  if (cause instanceof ResponseTooLargeError) {
    return {
      error: new ForgeHttpError(413, method, path, `${method} ${path}: ${said}`, { cause }),
      repeatable: false,
      askedMs: undefined,
    };
  }
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
  const message = `${method} ${path}: no answer from the forge (${code === '' ? said : code}): is it running, and is ${setting} right?`;
  return {
    error: new ForgeHttpError(0, method, path, message, { cause }),
    repeatable: NEVER_SENT.has(code),
    askedMs: undefined,
  };
}
