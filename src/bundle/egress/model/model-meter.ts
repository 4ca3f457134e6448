import { costOf, type AnswerUse, type PriceTable } from '../../../domain/egress/model-prices.js';
import { priceOf } from '../../../domain/egress/vendor-prices.js';
import type { ModelApi } from '../../../domain/egress/route.js';
import {
  addUse,
  NO_USE,
  spentOf,
  type ModelBudget,
  type ModelReport,
  type ModelTrouble,
  type ModelUse,
} from '../../../domain/run/model-use.js';

export interface ModelMeterOptions {
  readonly budget: ModelBudget;
  readonly prices: PriceTable;
  /** Called when there is something to tell. */
  readonly onChange: () => void;
}

export interface MeteredAnswer {
  readonly api: ModelApi;
  /** Those that may have written it: the dearest counts. */
  readonly models: readonly string[];
  readonly factor: number;
  readonly use: AnswerUse;
  /** `null` for an answer that was good, `unknown` for one whose client did not wait for it. */
  readonly trouble: ModelTrouble | null | 'unknown';
}

/** What all answers of this process used together, and the trouble that the last of them was. */
export class ModelMeter {
  readonly #options: ModelMeterOptions;
  #use: ModelUse = NO_USE;
  #trouble: ModelTrouble | null = null;

  constructor(options: ModelMeterOptions) {
    this.#options = options;
  }

  /** `null` as long as nothing was asked. */
  get report(): ModelReport | null {
    return this.#use === NO_USE && this.#trouble === null ? null : { use: this.#use, trouble: this.#trouble };
  }

  /** @returns what it cost, in millionths of a US dollar */
  add({ api, models, factor, use, trouble }: MeteredAnswer): number {
    const isFailed = trouble !== null && trouble !== 'unknown';
    const microUsd = models.reduce(
      (most, model) => Math.max(most, costOf(use, priceOf(api, model, this.#options.prices), factor)),
      0,
    );
    this.#use = addUse(this.#use, {
      requests: isFailed ? 0 : 1,
      failed: isFailed ? 1 : 0,
      inputTokens: use.inputTokens,
      cacheReadTokens: use.cacheReadTokens,
      cacheWriteTokens: use.cacheWriteTokens,
      outputTokens: use.outputTokens,
      microUsd,
    });
    // That the budget is used up does not pass.
    if (trouble !== 'unknown' && this.#trouble?.kind !== 'over_budget') this.#trouble = trouble;
    this.#options.onChange();
    return microUsd;
  }

  /** What of the budget is used up; from then on that is the trouble. To be asked before each request. */
  spent(): 'tokens' | 'money' | undefined {
    const what = spentOf(this.#options.budget, this.#use);
    if (what !== undefined && this.#trouble?.kind !== 'over_budget') {
      this.#trouble = { kind: 'over_budget', what };
      this.#options.onChange();
    }
    return what;
  }
}
