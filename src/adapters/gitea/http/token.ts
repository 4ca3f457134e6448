import { UnusableSecretError } from '../../../domain/base/errors.js';

/** The token for one request. Errors: `UnusableSecretError` for one that could break out of its header. */
export function readToken(read: () => string): string {
  const token = read().trim();
  // The value itself is not repeated.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new UnusableSecretError(
      'the forge token is empty or holds characters no token has: check FORGE_TOKEN_FILE',
    );
  return token;
}
