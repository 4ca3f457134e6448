import assert from 'node:assert/strict';
import {
  costOf,
  parsePrice,
  parsePrices,
  type AnswerUse,
} from '../../../../src/domain/egress/model-prices.js';
import { InvalidInputError } from '../../../../src/domain/base/errors.js';
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

  it('is told by the operator with two figures at least, four at most, and no others', () => {
    assert.deepEqual(parsePrices(''), []);
    assert.deepEqual(parsePrice('gpt-5*=1.25:10:0.125'), [
      'gpt-5*',
      { input: 1.25, output: 10, cacheRead: 0.125, cacheWrite: 1.25 },
    ]);
    assert.deepEqual(parsePrice('*=100000:0')[1], {
      ...{ input: 100_000, output: 0, cacheRead: 100_000, cacheWrite: 100_000 },
    });
    for (const wrong of [
      ...['', 'gpt-5', 'gpt-5=', 'gpt-5=1', 'gpt-5=1:2:3:4:5', 'gpt-5=1:2=3', '=1:2', 'a*b=1:2'],
      ...['gpt-5=1:', 'gpt-5=-1:2', 'gpt-5=1e3:2', 'gpt-5=1:x', 'gpt-5=1:2:', 'gpt-5=1:2:3:x', 'gpt-5= 1:2'],
      ...['gpt-5=100001:2', 'gpt-5=1:100001', 'gpt-5=1:2:100001', 'gpt-5=1:2:3:100001', 'gpt-5=1:0.1234567'],
    ])
      assert.throws(() => parsePrice(wrong), InvalidInputError, wrong);
    assert.throws(() => parsePrices('gpt-5=1:2,'), InvalidInputError);
  });

  it('counts no more as kept for an hour than was written', () => {
    const price = { input: 0, output: 0, cacheRead: 0, cacheWrite: 1.25 };
    assert.equal(costOf({ ...NOTHING, cacheWriteTokens: 100, hourWriteTokens: 900 }, price), 200);
    assert.equal(costOf({ ...NOTHING, cacheWriteTokens: 100, hourWriteTokens: 50 }, price), 163);
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
    const own = {
      ...{ input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
      long: { overTokens: 9, input: 2, output: 3 },
    };
    for (const [kind, cost] of [
      ['inputTokens', 20],
      ['cacheReadTokens', 20],
      ['cacheWriteTokens', 20],
      ['outputTokens', 10],
    ] as const)
      assert.equal(costOf({ ...NOTHING, [kind]: 10 }, own), cost, kind);
    assert.equal(dollars('anthropic-messages', 'claude-opus-4-6', { outputTokens: MILLION }, 6), 150);
  });

  it('is whole millionths, rounded up, and not more by what floating point adds', () => {
    assert.equal(costOf({ ...NOTHING, inputTokens: 1 }, priceOf('openai-responses', 'gpt-5-nano', [])), 1);
    assert.equal(costOf({ ...NOTHING, inputTokens: 30 }, priceOf('openai-responses', 'gpt-6-luna', [])), 3);
    assert.equal(costOf(NOTHING, priceOf('openai-responses', 'gpt-5', [])), 0);
  });
});
