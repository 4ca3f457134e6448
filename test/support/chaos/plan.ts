/** What a run of the kill harness does, all of it drawn from a seed. Pure: the same options give the same plan. */
import { pick, seededRandom } from '../faults/seeded-faults.js';

export const TARGETS = ['worker', 'webhook', 'temporal', 'sidecar', 'agent', 'everything'] as const;
export type Target = (typeof TARGETS)[number];

/** As often as it stands here: what has most to lose is struck most. */
const DECK: readonly Target[] = [
  ...(['worker', 'worker', 'worker', 'worker', 'sidecar', 'sidecar', 'sidecar', 'sidecar'] as const),
  ...(['agent', 'agent', 'agent', 'webhook', 'webhook', 'temporal', 'temporal', 'everything'] as const),
];

export interface Strike {
  /** Milliseconds after the strike before. */
  readonly gapMs: number;
  readonly target: Target;
  /** `kill` is SIGKILL; `stop` is SIGSTOP, and SIGCONT later. */
  readonly act: 'kill' | 'stop';
  /** How long it stays stopped. */
  readonly forMs: number;
  /** In [0, 1): which of several containers. */
  readonly which: number;
}

export interface CommentPlan {
  /** Milliseconds after the life's begin, or after the comment before. */
  readonly gapMs: number;
  /** Where it is written; on the issue while there is no pull request. */
  readonly on: 'issue' | 'pull';
}

export interface LifePlan {
  /** From 1. */
  readonly life: number;
  /** Milliseconds after the harness' begin. */
  readonly startMs: number;
  /** What the agent takes before and after its commit, in each turn. */
  readonly workSeconds: readonly [number, number];
  readonly comments: readonly CommentPlan[];
  readonly end: 'merge' | 'close';
}

/** Delays of the copies of one delivery, milliseconds; a later delivery may overtake a delayed one. */
export type DeliveryPlan = readonly number[];

export interface PlanOptions {
  readonly seed: number;
  readonly lives: number;
  readonly strikes: number;
  /** Between two strikes, on average. */
  readonly gapMs: number;
}

export interface Plan extends PlanOptions {
  readonly strikePlan: readonly Strike[];
  readonly lifePlans: readonly LifePlan[];
  /** By the number of the delivery; it begins again when it is through. */
  readonly deliveries: readonly DeliveryPlan[];
}

const MAX_COMMENTS = 3;
const DELIVERIES = 97;
/** The last life begins while there are strikes left for it. */
const LAST_START = 0.85;

/** Two and a half strikes a life: 40 lives meet 100. */
export function strikesFor(lives: number): number {
  return Math.ceil(lives * 2.5);
}

export function makePlan(options: PlanOptions): Plan {
  const { seed, lives, strikes, gapMs } = options;
  // A stream of its own for each: more lives leave the strikes as they are.
  const strikePlan = drawn(strikes, seededRandom(seed), (random) => strike(random, gapMs));
  const wholeMs = strikePlan.reduce((sum, one) => sum + one.gapMs, 0);
  const drafts = drawn(lives, seededRandom(seed ^ 0x5bd1e995), (random) => lifeDraft(random, wholeMs));
  const lifePlans = drafts
    .toSorted((a, b) => a.startMs - b.startMs)
    // The first at once, so that the first strike meets something.
    .map((draft, at) => ({ ...draft, life: at + 1, startMs: at === 0 ? 0 : draft.startMs }));
  const deliveries = drawn(DELIVERIES, seededRandom(seed ^ 0x27d4eb2f), delivery);
  return { ...options, strikePlan, lifePlans, deliveries };
}

/** When the last strike falls, milliseconds after the begin. */
export function strikingMs({ strikePlan }: Plan): number {
  return strikePlan.reduce((sum, { gapMs }) => sum + gapMs, 0);
}

/** A line for each strike and each life. */
export function planLines(plan: Plan): string[] {
  let at = 0;
  const strikes = plan.strikePlan.map(({ gapMs, target, act, forMs }) => {
    at += gapMs;
    return `${seconds(at)} ${act} ${target}${act === 'stop' ? ` for ${seconds(forMs).trim()}` : ''}`;
  });
  const lives = plan.lifePlans.map(
    ({ life, startMs, comments, end }) =>
      `${seconds(startMs)} life ${String(life)}: ${String(comments.length)} comment(s), then ${end}`,
  );
  return [...strikes, ...lives].toSorted((a, b) => parseFloat(a) - parseFloat(b));
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1).padStart(7)} s`;
}

function strike(random: () => number, gapMs: number): Strike {
  const target = pick(random, DECK);
  const act = random() < 0.6 ? 'kill' : 'stop';
  return {
    // From a third of the average to five thirds of it.
    gapMs: Math.round(gapMs * (1 / 3 + (random() * 4) / 3)),
    target,
    act,
    // A worker is missed after ten seconds: both sides of that.
    forMs: act === 'stop' ? between(random, 1_000, 25_000) : 0,
    which: random(),
  };
}

function lifeDraft(random: () => number, wholeMs: number): Omit<LifePlan, 'life'> {
  return {
    startMs: Math.round(random() * wholeMs * LAST_START),
    workSeconds: [between(random, 1, 6), between(random, 1, 6)],
    comments: drawn(1 + Math.floor(random() * MAX_COMMENTS), random, () => ({
      gapMs: between(random, 500, 30_000),
      on: random() < 0.5 ? 'issue' : 'pull',
    })),
    end: random() < 0.7 ? 'merge' : 'close',
  };
}

function delivery(random: () => number): DeliveryPlan {
  const kind = random();
  if (kind < 0.5) return [0];
  const late = between(random, 100, 8_000);
  if (kind < 0.7) return [late];
  return kind < 0.85 ? [0, late] : [late, 0, between(random, 100, 8_000)];
}

function between(random: () => number, low: number, high: number): number {
  return low + Math.floor(random() * (high - low + 1));
}

function drawn<T>(count: number, random: () => number, draw: (random: () => number) => T): T[] {
  return Array.from({ length: count }, () => draw(random));
}
