import { parseGithubDeliveryText } from './github/parse-delivery.js';
import type { ParsedDelivery } from './hint.js';
import { parseDeliveryText } from './parse-delivery.js';
import { parseReconciled, RECONCILED } from './reconciled.js';

/** What the inbox keeps GitHub's events under: Gitea uses some of their names for other shapes. */
export const GITHUB_EVENT_PREFIX = 'github/';

/** What the inbox kept of a delivery, read by the format it came in. */
export function parseStored(eventType: string, essence: string): ParsedDelivery {
  if (eventType === RECONCILED) return parseReconciled(essence);
  if (eventType.startsWith(GITHUB_EVENT_PREFIX))
    return parseGithubDeliveryText(eventType.slice(GITHUB_EVENT_PREFIX.length), essence);
  return parseDeliveryText(eventType, essence);
}
