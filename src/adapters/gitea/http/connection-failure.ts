import { ForgeHttpError } from '../../../domain/base/errors.js';
import { excerpt } from './excerpt.js';
import { ResponseTooLargeError } from './http-transport.js';
import type { HttpResponse } from './http-transport.js';

/** Why one attempt failed, and what that allows. */
export interface Failure {
  readonly error: ForgeHttpError;
  /** Certainly not carried out: may be repeated whatever the method. */
  readonly repeatable: boolean;
}

/** Codes of OpenSSL's and Node's checks of a certificate. */
const CERTIFICATE = /CERT|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/;

const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** An exchange without a whole answer. */
export function connectionFailure(method: string, path: string, cause: unknown): Failure {
  const said = cause instanceof Error ? cause.message : 'unknown fault';
  if (cause instanceof ResponseTooLargeError) {
    return {
      error: new ForgeHttpError(413, method, path, `${method} ${path}: ${said}`, { cause }),
      repeatable: false,
    };
  }
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
  const advice = CERTIFICATE.test(code)
    ? 'its certificate is not one that is trusted here: set FORGE_CA_FILE to the PEM file of its authority'
    : 'is it running, and is FORGE_GITEA_API right?';
  const message = `${method} ${path}: no answer from the forge (${code === '' ? said : code}): ${advice}`;
  return {
    error: new ForgeHttpError(0, method, path, message, { cause }),
    repeatable: NEVER_SENT.has(code),
  };
}

/** A proxy on the way may cut an answer and still end it properly. A list cut short must not pass for the list. */
export function isCutOff(raw: HttpResponse, text: string): boolean {
  if (text === '' || raw.headers['content-type']?.startsWith('application/json') !== true) return false;
  try {
    JSON.parse(text);
    return false;
  } catch {
    return true;
  }
}

/** Like no answer: the forge may have acted. */
export function cutOff(method: string, path: string): Failure {
  const message = `${method} ${path}: the forge's answer was cut off on its way`;
  return { error: new ForgeHttpError(0, method, path, message), repeatable: false };
}

/** The API never answers with a page; what stands before the forge does, for maintenance or a login. */
export function isPage(raw: HttpResponse): boolean {
  return raw.headers['content-type']?.startsWith('text/html') === true;
}

/** Like no answer: the forge may come back. */
export function notTheForge(method: string, path: string, text: string, token: string): Failure {
  const message = `${method} ${path}: a web page instead of an answer of the forge: is a proxy before it in maintenance or asking for a login, and is FORGE_GITEA_API the address of its API? (it said: ${excerpt(text, token)})`;
  return { error: new ForgeHttpError(0, method, path, message), repeatable: false };
}
