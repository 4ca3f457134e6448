/** `script/chaos` after set-up: reads what is asked for, runs the kill harness, prints how it went. */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { runHarness } from '../../../test/support/chaos/harness.js';
import { makePlan, planLines, strikesFor } from '../../../test/support/chaos/plan.js';
import { isGood, summaryLines } from '../../../test/support/chaos/summary.js';

const MAX_SEED = 2 ** 31;

const { values: options } = parseArgs({
  options: {
    lives: { type: 'string', default: '40' },
    seed: { type: 'string', default: String(randomInt(MAX_SEED)) },
    strikes: { type: 'string' },
    gap: { type: 'string', default: '15' },
    plan: { type: 'boolean', default: false },
  },
});

function numberOf(name: string, value: string, low: number, high: number): number {
  const number = Number(value);
  if (Number.isSafeInteger(number) && number >= low && number <= high) return number;
  console.error(`error: --${name} takes a number from ${String(low)} to ${String(high)}, not ${value}`);
  process.exit(2);
}

const lives = numberOf('lives', options.lives, 1, 200);
const plan = makePlan({
  lives,
  seed: numberOf('seed', options.seed, 0, MAX_SEED),
  strikes: numberOf('strikes', options.strikes ?? String(strikesFor(lives)), 0, 1_000),
  gapMs: numberOf('gap', options.gap, 1, 600) * 1_000,
});
const interruption = new AbortController();
// Also the second one: what is removed then is removed to its end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    interruption.abort();
  });

console.log(`seed ${String(plan.seed)}; the same again: script/chaos ${commandLine()}`);
for (const line of planLines(plan)) console.log(`plan ${line}`);
if (!options.plan) {
  const outcome = await runHarness({
    plan,
    signal: interruption.signal,
    say: (line) => {
      console.log(line);
    },
  });
  for (const line of summaryLines(outcome, plan)) console.log(line);
  process.exitCode = interruption.signal.aborted ? 130 : isGood(outcome, plan) ? 0 : 1;
}

function commandLine(): string {
  const { seed, strikes, gapMs } = plan;
  const more = options.strikes === undefined ? '' : ` --strikes ${String(strikes)}`;
  const gap = options.gap === '15' ? '' : ` --gap ${String(gapMs / 1_000)}`;
  return `--lives ${String(lives)} --seed ${String(seed)}${more}${gap}`;
}
