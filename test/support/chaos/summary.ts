/** How a run of the harness went, for people. */
import type { Outcome } from './harness.js';
import type { Plan } from './plan.js';

export function isGood({ bad, left, ended }: Outcome, plan: Plan): boolean {
  return bad.length === 0 && left.length === 0 && ended === plan.lives;
}

export function summaryLines(outcome: Outcome, plan: Plan): string[] {
  const { bad, left, goOns, strikes, deliveries, restarts, ended, tookMs, logs } = outcome;
  const { deliveries: came, late, duplicated, posts, lost } = deliveries;
  const lines = [
    `seed ${String(plan.seed)}: ${String(ended)} of ${String(plan.lives)} lives ended, ${String(Math.round(tookMs / 1000))} s`,
    `strikes: ${listed(strikes)}`,
    `parts started again: ${listed(new Map(Object.entries(restarts)))}`,
    `deliveries: ${String(came)}, ${String(duplicated)} of them duplicated and ${String(late)} late; ${String(posts)} posts were taken, ${String(lost)} met no webhook`,
    `a person had to ask to go on: ${listed(goOns)}`,
    ...bad.flatMap(({ life, wrong, logs: dir }) => [
      `life ${String(life)} is VIOLATED: ${dir}`,
      ...wrong.map((one) => `    ${one}`),
    ]),
    ...left.map((name) => `left behind: ${name}`),
  ];
  if (isGood(outcome, plan)) return [...lines, 'all is well'];
  // A life that has not ended is bad, unless nobody looked any more.
  return [...lines, bad.length + left.length > 0 ? `logs: ${logs}` : 'interrupted: nothing was judged'];
}

function listed(counts: ReadonlyMap<string, number>): string {
  const all = [...counts].filter(([, count]) => count > 0).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return all.length === 0 ? 'none' : all.map(([name, count]) => `${name} ${String(count)}`).join(', ');
}
