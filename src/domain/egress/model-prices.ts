/** What models cost. The vendors' public prices, US dollars per million tokens; the operator's own go before them. */
import { InvalidInputError } from '../base/errors.js';
import { isListedModel, isModelPattern } from './model-rule.js';
import type { ModelApi } from './route.js';

/** US dollars per million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Of a request whose prompt is longer than this, all tokens cost more. */
  readonly long?: LongPrompt;
}

export interface LongPrompt {
  readonly overTokens: number;
  /** Factors. */
  readonly input: number;
  readonly output: number;
}

/** The first pattern that fits a model counts; patterns as in `ModelRule.models`. */
export type PriceTable = readonly (readonly [pattern: string, price: ModelPrice])[];

/** Tokens of one answer. */
export interface AnswerUse {
  /** Neither read from the cache nor written to it. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Of those written, the ones that are kept for an hour. */
  readonly hourWriteTokens: number;
  readonly outputTokens: number;
}

const MAX_PRICE = 100_000;
const PRICE = /^[0-9]{1,6}(?:\.[0-9]{1,6})?$/;
/** What is kept for an hour costs twice the input, for five minutes 1.25 times: Anthropic, "Prompt caching". */
const HOUR_WRITE = 2 / 1.25;

const claude = (input: number, output: number, cacheRead = input / 10, long?: LongPrompt): ModelPrice => ({
  input,
  output,
  cacheRead,
  cacheWrite: input * 1.25,
  ...(long === undefined ? {} : { long }),
});

/** Anthropic's documentation, "Pricing"; as of November 2026. */
const CLAUDE: PriceTable = [
  ['claude-fable-5-1*', claude(10, 50, 0.25)],
  ['claude-mythos-5-1*', claude(10, 50, 0.25)],
  ['claude-fable-5*', claude(10, 50)],
  ['claude-mythos-5*', claude(10, 50)],
  ['claude-opus-5-5*', claude(4, 20, 0.2)],
  ['claude-opus-5*', claude(5, 25)],
  ['claude-opus-4-5*', claude(5, 25)],
  ['claude-opus-4-6*', claude(5, 25)],
  ['claude-opus-4-7*', claude(5, 25)],
  ['claude-opus-4-8*', claude(5, 25)],
  ['claude-sonnet-5-5*', claude(2, 10, 0.1)],
  ['claude-sonnet-5*', claude(2, 10)],
  ['claude-sonnet-4-6*', claude(3, 15)],
  ['claude-sonnet-4*', claude(3, 15, 0.3, { overTokens: 200_000, input: 2, output: 1.5 })],
  ['claude-3-7-sonnet*', claude(3, 15)],
  ['claude-haiku-5-5*', claude(0.1, 0.5, 0.01, { overTokens: 100_000, input: 5, output: 5 })],
  ['claude-haiku-4-5*', claude(1, 5)],
  ['claude-3-5-haiku*', claude(0.8, 4)],
];

const LONG_GPT: LongPrompt = { overTokens: 272_000, input: 2, output: 1.5 };

const gpt = (input: number, output: number, cacheRead = input / 10, long?: LongPrompt): ModelPrice => ({
  input,
  output,
  cacheRead,
  cacheWrite: input,
  ...(long === undefined ? {} : { long }),
});

/** Those whose cached tokens cost more than others to write. */
const gpt6 = (input: number, output: number, cacheRead = input / 10): ModelPrice => ({
  ...gpt(input, output, cacheRead, LONG_GPT),
  cacheWrite: input * 1.25,
});

/** OpenAI's documentation, "Pricing", standard processing; as of November 2026. */
const OPENAI: PriceTable = [
  ['gpt-6.1-terra*', gpt6(1, 5, 0.05)],
  ['gpt-6-astra*', gpt6(10, 50)],
  ['gpt-6-sol*', gpt6(2, 10)],
  ['gpt-6-luna*', gpt6(0.1, 0.5)],
  ['gpt-5.6-sol*', gpt(5, 30, 0.5, LONG_GPT)],
  ['gpt-5.6-terra*', gpt(2, 12, 0.2, LONG_GPT)],
  ['gpt-5.6-luna*', gpt(0.2, 1.2, 0.02, LONG_GPT)],
  ['gpt-5.5-pro*', gpt(30, 180, 30)],
  ['gpt-5.5*', gpt(5, 30, 0.5, LONG_GPT)],
  ['gpt-5.4-pro*', gpt(30, 180, 30)],
  ['gpt-5.4-mini*', gpt(0.75, 4.5)],
  ['gpt-5.4-nano*', gpt(0.2, 1.25)],
  ['gpt-5.4*', gpt(2.5, 15, 0.25, LONG_GPT)],
  ['gpt-5.3*', gpt(1.75, 14)],
  ['gpt-5.2-pro*', gpt(21, 168, 21)],
  ['gpt-5.2*', gpt(1.75, 14)],
  ['gpt-5.1-codex-mini*', gpt(0.25, 2)],
  ['gpt-5.1*', gpt(1.25, 10)],
  ['gpt-5-pro*', gpt(15, 120, 15)],
  ['gpt-5-mini*', gpt(0.25, 2)],
  ['gpt-5-nano*', gpt(0.05, 0.4)],
  ['gpt-5-codex*', gpt(1.25, 10)],
  ['gpt-5-2*', gpt(1.25, 10)],
  ['gpt-5', gpt(1.25, 10)],
  ['gpt-4.1-mini*', gpt(0.4, 1.6, 0.1)],
  ['gpt-4.1-nano*', gpt(0.1, 0.4, 0.025)],
  ['gpt-4.1*', gpt(2, 8, 0.5)],
  ['gpt-4o-mini*', gpt(0.15, 0.6, 0.075)],
  ['gpt-4o*', gpt(2.5, 10, 1.25)],
  ['codex-mini*', gpt(1.5, 6, 0.375)],
  ['o4-mini*', gpt(1.1, 4.4, 0.275)],
  ['o3-mini*', gpt(1.1, 4.4, 0.55)],
  ['o3-pro*', gpt(20, 80, 20)],
  ['o3*', gpt(2, 8, 0.5)],
];

/** A model that is in no table costs what the vendor's dearest has cost: too early an end is better than none. */
const UNKNOWN: Readonly<Record<ModelApi, ModelPrice>> = {
  'anthropic-messages': claude(15, 75),
  'openai-responses': gpt(30, 180, 30),
  'openai-chat': gpt(30, 180, 30),
};

const TABLES: Readonly<Record<ModelApi, PriceTable>> = {
  'anthropic-messages': CLAUDE,
  'openai-responses': OPENAI,
  'openai-chat': OPENAI,
};

/** @param own the operator's prices */
export function priceOf(api: ModelApi, model: string, own: PriceTable): ModelPrice {
  const found = [...own, ...TABLES[api]].find(([pattern]) => isListedModel({ models: [pattern] }, model));
  return found === undefined ? UNKNOWN[api] : found[1];
}

/**
 * Millionths of a US dollar, rounded up.
 * @param factor for faster processing at a higher price
 */
export function costOf(
  use: AnswerUse,
  { input, output, cacheRead, cacheWrite, long }: ModelPrice,
  factor = 1,
): number {
  const prompt = use.inputTokens + use.cacheReadTokens + use.cacheWriteTokens;
  const isLong = long !== undefined && prompt > long.overTokens;
  const forHours = Math.min(use.hourWriteTokens, use.cacheWriteTokens);
  const read =
    use.inputTokens * input +
    use.cacheReadTokens * cacheRead +
    (use.cacheWriteTokens - forHours) * cacheWrite +
    forHours * cacheWrite * HOUR_WRITE;
  const written = use.outputTokens * output;
  // Dollars per million tokens are millionths of a dollar per token. Less what floating point adds to whole numbers.
  const exact = factor * (read * (isLong ? long.input : 1) + written * (isLong ? long.output : 1));
  return Math.ceil(Number(exact.toFixed(6)));
}

/**
 * One price as the operator writes it: `<model>=<input>:<output>[:<cache read>[:<cache write>]]`, such as
 * `claude-opus-*=5:25:0.5:6.25`. Cached tokens cost what input does unless it says otherwise.
 * Errors: `InvalidInputError`.
 */
export function parsePrice(text: string): readonly [pattern: string, price: ModelPrice] {
  const [pattern = '', figures = '', ...more] = text.split('=');
  const texts = figures.split(':');
  const numbers = texts.map((figure) => (PRICE.test(figure) ? Number(figure) : NaN));
  const [input = NaN, output = NaN, cacheRead = input, cacheWrite = input] = numbers;
  const isRight =
    isModelPattern(pattern) &&
    more.length === 0 &&
    texts.length >= 2 &&
    texts.length <= 4 &&
    [input, output, cacheRead, cacheWrite].every((figure) => figure <= MAX_PRICE);
  if (isRight) return [pattern, { input, output, cacheRead, cacheWrite }];
  throw new InvalidInputError(
    'expected <model>=<input>:<output>[:<cache read>[:<cache write>]] in US dollars per million tokens, such as gpt-5*=1.25:10:0.125',
  );
}

/** Several, separated by commas; empty for none. Errors: `InvalidInputError`. */
export function parsePrices(text: string): PriceTable {
  return text === '' ? [] : text.split(',').map((item) => parsePrice(item.trim()));
}
