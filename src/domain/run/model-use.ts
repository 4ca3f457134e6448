/** What a turn used of its model, as the credential proxy metered it: the figures that budgets stand on. */

export interface ModelUse {
  /** Requests that were answered well, and those that were not. */
  readonly requests: number;
  readonly failed: number;
  /** Neither read from the provider's cache nor written to it. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** Millionths of a US dollar, by the table of prices. */
  readonly microUsd: number;
}

/** Why the model does not answer, as the proxy saw it last; a good answer ends it. */
export type ModelTrouble =
  /** A usage limit, until a time: epoch milliseconds, at most seven days away. */
  | { readonly kind: 'limited'; readonly until: number }
  /** The provider is overloaded or failing: HTTP 429 without a time worth the name, 5xx, or no answer. */
  | { readonly kind: 'overloaded'; readonly status: number }
  /** The provider refuses: HTTP 400, 401, 403 or another that asking again does not cure. */
  | { readonly kind: 'refused'; readonly status: number }
  /** The proxy itself refuses, because the turn's budget is used up. */
  | { readonly kind: 'over_budget'; readonly what: 'tokens' | 'money' };

export interface ModelReport {
  readonly use: ModelUse;
  readonly trouble: ModelTrouble | null;
}

/** What a turn may use; `null` for no limit. */
export interface ModelBudget {
  readonly tokens: number | null;
  readonly microUsd: number | null;
}

/** No figure of a turn is larger: beyond it is a sidecar that makes them up. */
export const MAX_USE = 1_000_000_000_000;
/** A usage limit is over after a week at most, whatever a provider says. */
export const MAX_LIMIT_MS = 7 * 24 * 60 * 60_000;

export const NO_BUDGET: ModelBudget = { tokens: null, microUsd: null };

export const NO_USE: ModelUse = {
  requests: 0,
  failed: 0,
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  microUsd: 0,
};

export function addUse(a: ModelUse, b: ModelUse): ModelUse {
  return {
    requests: a.requests + b.requests,
    failed: a.failed + b.failed,
    inputTokens: a.inputTokens + b.inputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    microUsd: a.microUsd + b.microUsd,
  };
}

/** All tokens, wherever they were read from: what a budget of tokens counts. */
export function tokensOf(use: ModelUse): number {
  return use.inputTokens + use.cacheReadTokens + use.cacheWriteTokens + use.outputTokens;
}

/** What of a budget is used up, if any of it is. */
export function spentOf(budget: ModelBudget, use: ModelUse): 'tokens' | 'money' | undefined {
  if (budget.tokens !== null && tokensOf(use) >= budget.tokens) return 'tokens';
  if (budget.microUsd !== null && use.microUsd >= budget.microUsd) return 'money';
  return undefined;
}

/** What is left of it, never below zero. */
export function leftOf(
  budget: ModelBudget,
  spent: { readonly tokens: number; readonly microUsd: number },
): ModelBudget {
  return {
    tokens: budget.tokens === null ? null : Math.max(0, budget.tokens - spent.tokens),
    microUsd: budget.microUsd === null ? null : Math.max(0, budget.microUsd - spent.microUsd),
  };
}
