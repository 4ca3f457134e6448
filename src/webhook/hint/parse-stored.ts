import type { ParsedDelivery } from './hint.js';
import { parseDeliveryText } from './parse-delivery.js';
import { parseReconciled, RECONCILED } from './reconciled.js';

/** What the inbox kept of a delivery, read by the format it came in. */
export function parseStored(eventType: string, essence: string): ParsedDelivery {
  return eventType === RECONCILED ? parseReconciled(essence) : parseDeliveryText(eventType, essence);
}
