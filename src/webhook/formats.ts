import type { DeliveryFormat } from './delivery-format.js';
import { parseGithubDelivery } from './github/parse-delivery.js';
import { verifyGithubSignature } from './github/verify-signature.js';
import { parseDelivery } from './parse-delivery.js';
import { GITHUB_EVENT_PREFIX } from './parse-stored.js';
import { parseReconciled, RECONCILED, RECONCILED_PATH, verifyFinding } from './reconciled.js';
import { verifySignature } from './verify-signature.js';

const GITEA: DeliveryFormat = {
  verify: verifySignature,
  eventTypeOf: (headers) => {
    const type = headers['x-gitea-event-type'];
    // Other senders' kinds are taken at their own paths only.
    return typeof type === 'string' && type !== RECONCILED && !type.startsWith(GITHUB_EVENT_PREFIX)
      ? type
      : '';
  },
  parse: parseDelivery,
};

const FINDINGS: DeliveryFormat = {
  verify: verifyFinding,
  eventTypeOf: () => RECONCILED,
  parse: (_eventType, rawBody) => parseReconciled(new TextDecoder().decode(rawBody)),
};

const GITHUB: DeliveryFormat = {
  verify: verifyGithubSignature,
  eventTypeOf: (headers) => {
    const event = headers['x-github-event'];
    return typeof event === 'string' && event !== '' ? GITHUB_EVENT_PREFIX + event : '';
  },
  parse: (eventType, rawBody) => parseGithubDelivery(eventType.slice(GITHUB_EVENT_PREFIX.length), rawBody),
};

/** By path. */
export const DELIVERY_FORMATS: Readonly<Record<string, DeliveryFormat>> = {
  '/webhooks/gitea': GITEA,
  '/webhooks/github': GITHUB,
  [RECONCILED_PATH]: FINDINGS,
};
