import { createHmac } from 'node:crypto';

export const SECRET = 'a secret only for tests';

export function hmacOf(body: string | Uint8Array, secret = SECRET): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** Headers of a delivery as Gitea sends them. */
export function deliveryHeaders(
  body: string | Uint8Array,
  eventType: string,
  secret = SECRET,
): Record<string, string> {
  const digest = hmacOf(body, secret);
  return {
    'content-type': 'application/json',
    'x-gitea-event-type': eventType,
    'x-gitea-delivery': 'f6266f16-1bf3-46a5-9ea4-602e06ead473',
    'x-gitea-signature': digest,
    'x-hub-signature-256': `sha256=${digest}`,
  };
}
