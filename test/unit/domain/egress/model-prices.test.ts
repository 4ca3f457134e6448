import assert from 'node:assert/strict';
import { costOf, parsePrices, type AnswerUse } from '../../../../src/domain/egress/model-prices.js';
import { priceOf } from '../../../../src/domain/egress/vendor-prices.js';
import type { ModelApi } from '../../../../src/domain/egress/route.js';

const MILLION = 1_000_000;
const NOTHING: AnswerUse = {
  ...{ inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, hourWriteTokens: 0, outputTokens: 0 },
};
const dollars = (api: ModelApi, model: string, use: Partial<AnswerUse>, factor = 1): number =>
  costOf({ ...NOTHING, ...use }, priceOf(api, model, []), factor) / MILLION;

describe('what a model costs', () => {
  it('is what the vendor’s list says, by kind of token', () => {
    const claude = (use: Partial<AnswerUse>): number => dollars('anthropic-messages', 'claude-opus-4-8', use);
    assert.equal(claude({ inputTokens: MILLION }), 5);
    assert.equal(claude({ outputTokens: MILLION }), 25);
    assert.equal(claude({ cacheReadTokens: MILLION }), 0.5);
    assert.equal(claude({ cacheWriteTokens: MILLION }), 6.25);
    assert.equal(claude({ cacheWriteTokens: MILLION, hourWriteTokens: MILLION }), 10);
    assert.equal(
      dollars('openai-responses', 'gpt-5.3-codex', { inputTokens: 1000, cacheReadTokens: 10_000 }),
      0.0035,
    );
  });

  it('goes by the most special pattern: versions, and dates behind them', () => {
    const input = (api: ModelApi, model: string): number => priceOf(api, model, []).input;
    for (const [model, price] of [
      ['claude-opus-5-5', 4],
      ['claude-opus-5', 5],
      ['claude-opus-4-5-20251101', 5],
      ['claude-opus-4-1-20250805', 15],
      ['claude-sonnet-5-5', 2],
      ['claude-sonnet-4-5', 3],
      ['claude-haiku-4-5-20251001', 1],
    ] as const)
      assert.equal(input('anthropic-messages', model), price, model);
    for (const [model, price] of [
      ['gpt-5.4', 2.5],
      ['gpt-5.4-mini-2026-03-05', 0.75],
      ['gpt-5.4-pro', 30],
      ['gpt-5', 1.25],
      ['gpt-5-codex', 1.25],
      ['gpt-6-luna', 0.1],
    ] as const)
      assert.equal(input('openai-responses', model), price, model);
  });

  it('is the dearest of its vendor for a model that nobody knows', () => {
    for (const [api, model, input, output] of [
      ['anthropic-messages', 'claude-new-9', 15, 75],
      ['openai-responses', 'gpt-9', 30, 180],
      ['openai-chat', 'some-model', 30, 180],
    ] as const) {
      const price = priceOf(api, model, []);
      assert.deepEqual([price.input, price.output, model], [input, output, model]);
    }
  });

  it('is what the operator says, before all else, the first that fits', () => {
    const own = parsePrices('claude-opus-*=1:2:0.1:3, claude-*=7:8');
    assert.deepEqual(priceOf('anthropic-messages', 'claude-opus-5', own), {
      ...{ input: 1, output: 2, cacheRead: 0.1, cacheWrite: 3 },
    });
    assert.deepEqual(priceOf('anthropic-messages', 'claude-haiku-4-5', own), {
      ...{ input: 7, output: 8, cacheRead: 7, cacheWrite: 7 },
    });
    assert.equal(priceOf('openai-chat', 'gpt-5', own).input, 1.25);
  });

  it('is more for a long prompt, and for faster processing', () => {
    const long = { inputTokens: 273_000, outputTokens: 1000 };
    assert.equal(
      dollars('openai-responses', 'gpt-5.4', long),
      (273_000 * 2.5 * 2 + 1000 * 15 * 1.5) / MILLION,
    );
    assert.equal(dollars('openai-responses', 'gpt-5.4', { ...long, inputTokens: 272_000 }), 0.695);
    // The prompt is long with what comes from the cache, too.
    const cached = { inputTokens: 1, cacheReadTokens: 100_000 };
    assert.equal(dollars('anthropic-messages', 'claude-haiku-5-5', cached), 0.005001);
    assert.equal(dollars('anthropic-messages', 'claude-opus-4-6', { outputTokens: MILLION }, 6), 150);
  });

  it('is whole millionths, rounded up, and not more by what floating point adds', () => {
    assert.equal(costOf({ ...NOTHING, inputTokens: 1 }, priceOf('openai-responses', 'gpt-5-nano', [])), 1);
    assert.equal(costOf({ ...NOTHING, inputTokens: 30 }, priceOf('openai-responses', 'gpt-6-luna', [])), 3);
    assert.equal(costOf(NOTHING, priceOf('openai-responses', 'gpt-5', [])), 0);
  });
});
