/** The raw floor: workflows that do nothing but what is counted. */
import {
  condition,
  defineSignal,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';

export interface BareActivities {
  nothing(): Promise<void>;
  /** Sends the workflow that called it one signal. */
  signalBack(): Promise<void>;
}

const remote = proxyActivities<BareActivities>({ startToCloseTimeout: '1 minute' });
const local = proxyLocalActivities<BareActivities>({ startToCloseTimeout: '1 minute' });

export const nudgeSignal = defineSignal('nudge');

export interface BareShape {
  readonly remote: number;
  readonly local: number;
  /** All of them, the one it is started with included. */
  readonly signals: number;
  /** Of search attributes. */
  readonly upserts: number;
}

export async function oneActivity(): Promise<void> {
  await remote.nothing();
}

/** As many of each as in a real life, one activity after the other; the first activities send the signals. */
export async function bareLife(shape: BareShape): Promise<void> {
  let received = 0;
  let shown = 0;
  setHandler(nudgeSignal, () => void (received += 1));
  const steps = [
    ...Array.from({ length: shape.remote }, (_, i) =>
      i + 1 < shape.signals ? remote.signalBack : remote.nothing,
    ),
    ...Array.from({ length: shape.local }, () => local.nothing),
  ];
  for (const [i, step] of steps.entries()) {
    // As evenly as they come in a life.
    while (shown * steps.length < shape.upserts * (i + 1)) show((shown += 1));
    await step();
  }
  await condition(() => received >= shape.signals);
}

function show(number: number): void {
  const all = {
    BottlePhase: [`phase ${String(number)}`],
    BottleReason: ['none'],
    BottleSlug: ['s'],
    BottleAgent: ['a'],
  };
  upsertSearchAttributes(all);
}
