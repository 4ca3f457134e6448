import type { DeliveryFormat } from './delivery-format.js';
import { parseDelivery } from '../events/parse-delivery.js';
import { parseReconciled, RECONCILED, RECONCILED_PATH, verifyFinding } from '../events/reconciled.js';
import { verifySignature } from '../verify-signature.js';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const GITEA: DeliveryFormat = {
  verify: verifySignature,
  eventTypeOf: (headers) => {
    const type = headers['x-gitea-event-type'];
    // Findings are taken at their own path only.
    return typeof type === 'string' && type !== RECONCILED ? type : '';
  },
  deliveryIdOf: (headers) => {
    const id = headers['x-gitea-delivery'];
    return typeof id === 'string' && UUID.test(id) ? id : '';
  },
  parse: parseDelivery,
};

const FINDINGS: DeliveryFormat = {
  verify: verifyFinding,
  eventTypeOf: () => RECONCILED,
  deliveryIdOf: () => '',
  parse: (_eventType, rawBody) => parseReconciled(new TextDecoder().decode(rawBody)),
};

/** By path. */
export const DELIVERY_FORMATS: Readonly<Record<string, DeliveryFormat>> = {
  '/webhooks/gitea': GITEA,
  [RECONCILED_PATH]: FINDINGS,
};
