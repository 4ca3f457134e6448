/** What models cost. The vendors' public prices, US dollars per million tokens; the operator's own go before them. */
import { InvalidInputError } from '../errors.js';
import { isModelPattern } from './model-rule.js';

/** US dollars per million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** The first pattern that fits a model counts; patterns as in `ModelRule.models`. */
export type PriceTable = readonly (readonly [pattern: string, price: ModelPrice])[];

const MAX_PRICE = 100_000;
const PRICE = /^[0-9]{1,6}(?:\.[0-9]{1,6})?$/;

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
