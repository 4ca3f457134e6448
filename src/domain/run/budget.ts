/** What runs may use: turns, tokens and money, each counted as the credential proxy metered it. Pure. */
import { tokensOf, type ModelBudget, type ModelUse } from './model-use.js';

export interface Amounts {
  readonly turns: number;
  readonly tokens: number;
  /** Millionths of a US dollar. */
  readonly microUsd: number;
}

export const NOTHING: Amounts = { turns: 0, tokens: 0, microUsd: 0 };

export function addAmounts(a: Amounts, b: Amounts): Amounts {
  return { turns: a.turns + b.turns, tokens: a.tokens + b.tokens, microUsd: a.microUsd + b.microUsd };
}

/** Of one turn. @param use `null` for a bottle without a model */
export function amountsOfTurn(use: ModelUse | null): Amounts {
  return use === null
    ? { turns: 1, tokens: 0, microUsd: 0 }
    : { turns: 1, tokens: tokensOf(use), microUsd: use.microUsd };
}

/** What of it is used up, for people; `null` while there is some of everything left. */
export function usedUp(spent: Amounts, budget: Amounts): string | null {
  if (spent.turns >= budget.turns) return `${String(spent.turns)} of ${String(budget.turns)} turns`;
  if (spent.tokens >= budget.tokens) return `${String(spent.tokens)} of ${String(budget.tokens)} tokens`;
  if (spent.microUsd >= budget.microUsd) return `${usd(spent.microUsd)} of ${usd(budget.microUsd)} USD`;
  return null;
}

/** The lesser of each. */
export function atMostBudget(a: ModelBudget, b: ModelBudget): ModelBudget {
  return { tokens: lesser(a.tokens, b.tokens), microUsd: lesser(a.microUsd, b.microUsd) };
}

export function usd(microUsd: number): string {
  return (microUsd / 1e6).toFixed(2);
}

/** US dollars with at most two decimals, in millionths; `undefined` for what is no amount, and for nothing. */
export function readUsd(text: string): number | undefined {
  const amount = /^[0-9]{1,7}(?:\.[0-9]{1,2})?$/.test(text) ? Number(text) : 0;
  return amount > 0 ? Math.round(amount * 1e6) : undefined;
}

const DAY_MS = 24 * 3_600_000;

/** The day of a budget, UTC. @param now epoch milliseconds */
export function dayOf(now: number): { readonly begins: number; readonly ends: number } {
  const begins = Math.floor(now / DAY_MS) * DAY_MS;
  return { begins, ends: begins + DAY_MS };
}

function lesser(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
