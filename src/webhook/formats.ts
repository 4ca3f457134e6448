import type { DeliveryFormat } from './delivery-format.js';
import { parseDelivery } from './parse-delivery.js';
import { parseReconciled, RECONCILED, RECONCILED_PATH, verifyFinding } from './reconciled.js';
import { verifySignature } from './verify-signature.js';

const GITEA: DeliveryFormat = {
  verify: verifySignature,
  eventTypeOf: (headers) => {
    const type = headers['x-gitea-event-type'];
    // Findings are taken at their own path only.
    return typeof type === 'string' && type !== RECONCILED ? type : '';
  },
  parse: parseDelivery,
};

const FINDINGS: DeliveryFormat = {
  verify: verifyFinding,
  eventTypeOf: () => RECONCILED,
  parse: (_eventType, rawBody) => parseReconciled(new TextDecoder().decode(rawBody)),
};

/** By path. */
export const DELIVERY_FORMATS: Readonly<Record<string, DeliveryFormat>> = {
  '/webhooks/gitea': GITEA,
  [RECONCILED_PATH]: FINDINGS,
};
