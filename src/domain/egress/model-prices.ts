import { InvalidInputError } from '../base/errors.js';
import { whyNoModelPattern } from './model-rule.js';

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
    whyNoModelPattern(pattern) === undefined &&
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
