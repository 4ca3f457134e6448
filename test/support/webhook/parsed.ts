import assert from 'node:assert/strict';
import type { Hint } from '../../../src/webhook/events/hint.js';
import { parseDelivery } from '../../../src/webhook/events/parse-delivery.js';

/** What a delivery of that type comes to. */
export const parse = (type: string, payload: object) =>
  parseDelivery(type, Buffer.from(JSON.stringify(payload)));

/** The hint that it must be. */
export function hintOf(type: string, payload: object): Hint {
  const parsed = parse(type, payload);
  assert.ok(parsed.kind === 'hint', JSON.stringify(parsed));
  return parsed.hint;
}
