import { isListedModel } from './model-rule.js';
import type { ModelPrice, PriceTable } from './model-prices.js';
import type { ModelApi } from './route.js';
import prices from './vendor-prices.json' with { type: 'json' };

/**
 * The vendors' documentation, "Pricing", standard processing; as of November 2026. A model that is not listed costs what the
 * vendor's dearest has cost, the entry `*`: too early an end is better than none.
 */
const TABLES: Readonly<Record<ModelApi, PriceTable>> = {
  'anthropic-messages': Object.entries(prices.anthropic),
  'openai-responses': Object.entries(prices.openai),
  'openai-chat': Object.entries(prices.openai),
};

/** @param own the operator's prices, which go before the vendors' */
export function priceOf(api: ModelApi, model: string, own: PriceTable): ModelPrice {
  const found = [...own, ...TABLES[api]].find(([pattern]) => isListedModel({ models: [pattern] }, model));
  if (found === undefined) throw new Error(`no price for ${api}`);
  return found[1];
}
