/** What both of OpenAI's dialects have. */
import type { ModelFeature } from '../../../domain/egress/route.js';
import type { JsonObject } from './json-body.js';

/** Faster processing costs up to two and a half times as much. */
const FAST_FACTOR = 2.5;
const PLAIN_TIERS: readonly unknown[] = [undefined, null, 'auto', 'default', 'flex'];

/** An image or file is either in the request itself or somewhere else. */
export function isRemote(url: unknown): boolean {
  return url !== undefined && url !== null && !(typeof url === 'string' && /^data:/i.test(url));
}

export function keepsAsks({ store }: JsonObject): [feature: ModelFeature, what: string][] {
  return store === undefined || store === null || store === false ? [] : [['store', '"store"']];
}

export function processingFactor(body: JsonObject): number {
  return PLAIN_TIERS.includes(body['service_tier']) ? 1 : FAST_FACTOR;
}
