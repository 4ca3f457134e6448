import { verifySignature } from '../verify-signature.js';
import type { DistinctHeaders, SignatureVerdict } from '../verify-signature.js';

const HEADER = 'x-hub-signature-256';

/**
 * GitHub's one signature, HMAC-SHA256 of the raw body as `sha256=<hex>` in `X-Hub-Signature-256`, in constant time; its
 * older SHA-1 header counts for nothing. Errors: `InvalidInputError` for an empty secret, which would accept anybody.
 * Source: docs.github.com, "Validating webhook deliveries".
 */
export function verifyGithubSignature(
  secret: string,
  rawBody: Uint8Array,
  headers: DistinctHeaders,
): SignatureVerdict {
  return verifySignature(secret, rawBody, { [HEADER]: headers[HEADER] });
}
