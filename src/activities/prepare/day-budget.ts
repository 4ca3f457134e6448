import { dayOf, usedUp, type Amounts } from '../../domain/run/budget.js';
import { leftOf, type ModelBudget } from '../../domain/run/model-use.js';
import type { HomePorts } from '../ports/home-ports.js';

export type DayBudget =
  | { readonly kind: 'left'; readonly budget: ModelBudget }
  /** @param until when the day ends, epoch milliseconds */
  | { readonly kind: 'spent'; readonly reason: string; readonly until: number };

/**
 * What all runs together may still use today (UTC), by the turns that have ended today: turns that go on side by side may
 * each use what was left when they began.
 */
export async function dayBudget({ database, clock, settings }: HomePorts): Promise<DayBudget> {
  const { begins, ends } = dayOf(clock.now());
  const spent: Amounts = await database.sessions.spentSince(begins);
  const what = usedUp(spent, settings.dayBudget);
  if (what === null) return { kind: 'left', budget: leftOf(settings.dayBudget, spent) };
  return { kind: 'spent', reason: `the day's budget of all runs is used up: ${what}`, until: ends };
}
