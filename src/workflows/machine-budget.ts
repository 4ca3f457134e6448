/** What a run has used and may use. */
import { addAmounts, amountsOfTurn, atMostBudget, NOTHING, usedUp, type Amounts } from '../domain/budget.js';
import type { OperatorCommand } from '../domain/events.js';
import { leftOf, NO_BUDGET, type ModelBudget } from '../domain/model-use.js';
import type { TurnCause, TurnResult } from '../domain/turn.js';
import { freeze, note, type Draft } from './machine-draft.js';
import type { MachineState } from './machine-state.js';

/** Most that one command may add, of each: a slip of the finger is told from a wish. */
const MOST: Amounts = { turns: 1_000, tokens: 1_000_000_000, microUsd: 10_000_000_000 };

export function spend(s: MachineState, { model }: Pick<TurnResult, 'model'>): void {
  const used = amountsOfTurn(model?.use ?? null);
  s.spent = addAmounts(s.spent, used);
  s.session = { turns: s.session.turns + 1, tokens: s.session.tokens + used.tokens };
}

/** Why no turn may begin, or `null`. */
export function overBudget({ spent, raised, policy }: MachineState): string | null {
  const what = usedUp(spent, addAmounts(policy.budget, raised));
  return what === null ? null : `the run's budget is used up: ${what}`;
}

/** What the turn that is about to run may use. */
export function budgetOfTurn({ spent, raised, policy, prepared }: MachineState): ModelBudget {
  return atMostBudget(leftOf(addAmounts(policy.budget, raised), spent), prepared?.budget ?? NO_BUDGET);
}

/** The turn waits, and what it is for with it. */
export function defer(d: Draft, cause: TurnCause, why: string): void {
  const { s } = d;
  s.wokenFrom = s.frozenReason;
  s.deferred = cause;
  s.detail = why;
  note(d, why);
  freeze(d, 'budget');
  d.commands.push({ kind: 'record_state' });
}

type BudgetCommand = Extract<OperatorCommand, { kind: 'budget' }>;

export function raise(d: Draft, { turns, tokens, microUsd, dayEnds }: BudgetCommand): void {
  const { s } = d;
  s.raised = addAmounts(s.raised, { turns, tokens, microUsd });
  s.dayLiftedUntil = Math.max(s.dayLiftedUntil, dayEnds ?? 0);
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
