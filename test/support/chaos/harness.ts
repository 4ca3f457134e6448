/** The kill harness: real parts, a plan from a seed, and an oracle at the end. */
import { dockerBottleRuntime } from '../../../src/adapters/docker/docker-runtime.js';
import { hostId } from '../../../src/adapters/files/host-id.js';
import type { Client } from '@temporalio/client';
import { Stack } from '../stack/stack.js';
import { evidenceOf } from './evidence.js';
import { KeptLogs } from './kept-logs.js';
import { leftOnHost, removeAll } from './leftovers.js';
import { violationsOf } from './oracle.js';
import { Parts } from './parts.js';
import { LifePerson } from './person.js';
import { planLines, seconds, strikingMs, type Plan } from './plan.js';
import { ShakyWay } from './shaky-way.js';
import { Striker } from './striker.js';

/** After the last strike: a lost comment is given up after two and a half minutes, and what waits has few slots. */
const REST_MS = 300_000;
const REST_PER_LIFE_MS = 6_000;
const SETTINGS = {
  FORGE_POLL_INTERVAL: '5s',
  BOTTLE_DONE_GRACE: '5s',
  BOTTLE_SLOTS: '4',
  BOTTLE_SWEEP_INTERVAL: '30s',
};

export interface HarnessOptions {
  readonly plan: Plan;
  readonly say: (line: string) => void;
  /** Ends it early; everything is removed all the same. */
  readonly signal: AbortSignal;
}

export interface Outcome {
  readonly bad: readonly {
    readonly life: number;
    readonly wrong: readonly string[];
    readonly logs: string;
  }[];
  /** Of the stack as a whole. */
  readonly left: readonly string[];
  readonly goOns: ReadonlyMap<string, number>;
  readonly strikes: ReadonlyMap<string, number>;
  readonly deliveries: ShakyWay['counts'];
  readonly restarts: Parts['restarts'];
  readonly ended: number;
  readonly tookMs: number;
  /** Directory; gone when nothing was wrong. */
  readonly logs: string;
}

/** Errors: those of setting up. */
export async function runHarness({ plan, say: print, signal }: HarnessOptions): Promise<Outcome> {
  const began = Date.now();
  const logs = await KeptLogs.make(plan.seed);
  const say = (text: string): void => {
    const line = `${seconds(Date.now() - began)}  ${text}`;
    logs.add('chaos', `${line}\n`);
    print(line);
  };
  for (const line of planLines(plan)) logs.add('chaos', `plan: ${line}\n`);
  const stack = await Stack.prepare({
    hook: false,
    env: SETTINGS,
    onOutput: (text) => {
      logs.add('parts', text);
    },
  });
  const host = await hostId(stack.home);
  const runtime = dockerBottleRuntime({ host });
  const parts = new Parts(stack);
  const striker = new Striker(parts, runtime, say);
  const persons = plan.lifePlans.map(
    (life) =>
      new LifePerson(stack, life, (text) => {
        say(`life ${String(life.life)}: ${text}`);
      }),
  );
  let way: ShakyWay | undefined;
  let client: Client | undefined;
  const left: string[] = [];
  const bad: Outcome['bad'][number][] = [];
  try {
    way = await ShakyWay.start(plan.deliveries, stack.webhookUrl);
    await stack.gitea.addWebhook('alice/demo', way.url, stack.webhookSecret);
    await parts.start();
    client = await stack.client();
    say(
      `the parts run; ${String(plan.lives)} lives, ${String(plan.strikes)} strikes, seed ${String(plan.seed)}`,
    );
    await liveAndStrike(plan, persons, striker, signal);
    if (signal.aborted) say('interrupted; everything is removed');
    else {
      say('at rest; the oracle looks');
      for (const person of persons) {
        const evidence = await evidenceOf(stack, client, runtime, person);
        const wrong = violationsOf(evidence);
        if (wrong.length === 0) continue;
        bad.push({
          life: evidence.life,
          wrong,
          logs: await logs.keepLife(stack, client, person, evidence, wrong),
        });
      }
      left.push(...(await leftOnHost(stack, runtime)));
    }
  } finally {
    await client?.connection.close();
    await way?.close();
    await striker.letGo();
    await parts.stop(signal.aborted ? 'SIGKILL' : 'SIGTERM');
    left.push(...(await removeAll(stack, runtime)));
  }
  if (bad.length === 0 && left.length === 0) await logs.remove();
  return {
    bad,
    left,
    goOns: counted(persons.flatMap(({ goOns }) => goOns)),
    strikes: striker.counts,
    deliveries: way.counts,
    restarts: parts.restarts,
    ended: persons.filter(({ ended }) => ended).length,
    tookMs: Date.now() - began,
    logs: logs.dir,
  };
}

/** Until all lives have ended and all strikes have fallen, time is up, or it is interrupted. */
export async function liveAndStrike(
  plan: Plan,
  persons: readonly Pick<LifePerson, 'live' | 'trouble'>[],
  striker: Pick<Striker, 'strikeAll' | 'letGo'>,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const stop = (): void => {
    over.abort();
  };
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  const late = setTimeout(stop, strikingMs(plan) + REST_MS + plan.lives * REST_PER_LIFE_MS);
  try {
    const lives = persons.map((person) =>
      person.live(over.signal).catch((error: unknown) => {
        person.trouble.push(`the person failed: ${String(error)}`);
      }),
    );
    const struck = striker.strikeAll(plan.strikePlan, over.signal);
    await Promise.all(lives);
    // Nothing is left to strike.
    stop();
    await struck;
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', stop);
    await striker.letGo();
  }
}

function counted(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
