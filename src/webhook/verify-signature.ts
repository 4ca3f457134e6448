import { createHmac, timingSafeEqual } from 'node:crypto';
import { InvalidInputError } from '../domain/base/errors.js';

export type SignatureVerdict = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** Header values by lower-case name, one entry per occurrence: `IncomingMessage.headersDistinct`. */
export type DistinctHeaders = Readonly<Record<string, readonly string[] | undefined>>;

const DIGEST = /^[0-9a-f]{64}$/i;
/** Gitea signs with bare hex in its own header and repeats it, prefixed, in GitHub's (services/webhook/deliver.go). */
const FORMS = [
  { header: 'x-gitea-signature', prefix: '' },
  { header: 'x-hub-signature-256', prefix: 'sha256=' },
] as const;

/**
 * HMAC-SHA256 of the raw body against what the headers claim, in constant time. Either header is enough; when both are
 * there both must fit, and a header given twice fits nothing. Both are empty when the hook has no secret.
 * Errors: `InvalidInputError` for an empty secret, which would accept anybody.
 */
export function verifySignature(
  secret: string,
  rawBody: Uint8Array,
  headers: DistinctHeaders,
): SignatureVerdict {
  if (secret === '')
    throw new InvalidInputError(
      'the webhook secret is empty: set one with `bot-bottle secret set webhook-secret`',
    );
  const claims = FORMS.flatMap(({ header, prefix }) =>
    (headers[header] ?? []).filter((value) => value !== '').map((value) => ({ header, prefix, value })),
  );
  if (claims.length === 0) {
    return refused('no signature: give the webhook on the forge the same secret as the one configured here');
  }
  if (new Set(claims.map((claim) => claim.header)).size < claims.length)
    return refused('a signature header was sent twice');
  const expected = createHmac('sha256', secret).update(rawBody).digest();
  let matching = 0;
  for (const { header, prefix, value } of claims) {
    const digest = value.slice(prefix.length);
    if (!value.startsWith(prefix) || !DIGEST.test(digest))
      return refused(`${header} is not a hex SHA-256 digest`);
    if (timingSafeEqual(Buffer.from(digest, 'hex'), expected)) matching += 1;
  }
  if (matching === claims.length) return { ok: true };
  return refused(
    'wrong signature: the secret of the webhook on the forge differs from the one configured here',
  );
}

function refused(reason: string): SignatureVerdict {
  return { ok: false, reason };
}
