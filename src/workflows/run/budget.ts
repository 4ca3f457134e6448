/** What a run has used and may use. Pure. */
import {
  addAmounts,
  amountsOfTurn,
  atMostBudget,
  NOTHING,
  usedUp,
  type Amounts,
} from '../../domain/run/budget.js';
import type { OperatorCommand, PreparedTurn } from '../../domain/run/events.js';
import { leftOf, NO_BUDGET, type ModelBudget } from '../../domain/run/model-use.js';
import type { TurnResult } from '../../domain/run/turn.js';
import type { Budget, Life } from './state.js';

/** Most that one command may add, of each: a slip of the finger is told from a wish. */
const MOST: Amounts = { turns: 1_000, tokens: 1_000_000_000, microUsd: 10_000_000_000 };

export function spend(life: Life, { model }: Pick<TurnResult, 'model'>): void {
  const { budget, session } = life;
  const used = amountsOfTurn(model?.use ?? null);
  life.budget = { ...budget, spent: addAmounts(budget.spent, used) };
  life.session = { ...session, turns: session.turns + 1, tokens: session.tokens + used.tokens };
}

/** Why no turn may begin, or `null`. @param own what the run's policy gives it */
export function overBudget({ spent, raised }: Budget, own: Amounts): string | null {
  const what = usedUp(spent, addAmounts(own, raised));
  return what === null ? null : `the run's budget is used up: ${what}`;
}

/** What the turn that is about to run may use. @param own what the run's policy gives it */
export function budgetOfTurn(
  { spent, raised }: Budget,
  own: Amounts,
  prepared: Pick<PreparedTurn, 'budget'>,
): ModelBudget {
  return atMostBudget(leftOf(addAmounts(own, raised), spent), prepared.budget ?? NO_BUDGET);
}

type BudgetCommand = Extract<OperatorCommand, { kind: 'budget' }>;

export function raise(life: Life, { turns, tokens, microUsd, dayEnds }: BudgetCommand): void {
  const { budget } = life;
  life.budget = {
    ...budget,
    raised: addAmounts(budget.raised, { turns, tokens, microUsd }),
    dayLiftedUntil: Math.max(budget.dayLiftedUntil, dayEnds ?? 0),
  };
}

/** Why it cannot be raised so, or `null`. */
export function raiseRefusal({ turns, tokens, microUsd, dayEnds }: BudgetCommand): string | null {
  const asked: Amounts = { turns, tokens, microUsd };
  const names = ['turns', 'tokens', 'microUsd'] as const;
  if (names.some((name) => !Number.isSafeInteger(asked[name]) || asked[name] < 0 || asked[name] > MOST[name]))
    return 'a budget is raised by at most 1,000 turns, 1,000,000,000 tokens and 10,000 USD at once';
  if (names.every((name) => asked[name] === NOTHING[name]) && dayEnds === null)
    return 'say by what the budget is raised: turns, tokens, USD, or for the rest of the day';
  return null;
}
