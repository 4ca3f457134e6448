/** The raw floor: workflows that do nothing but what is counted. */
import {
  condition,
  defineSignal,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
} from '@temporalio/workflow';
import type { BareActivities } from '../bare-worker.js';

const remote = proxyActivities<BareActivities>({ startToCloseTimeout: '1 minute' });
const local = proxyLocalActivities<BareActivities>({ startToCloseTimeout: '1 minute' });

export const nudgeSignal = defineSignal('nudge');

export interface BareShape {
  readonly remote: number;
  readonly local: number;
  /** All of them, the one it is started with included. */
  readonly signals: number;
}

export async function oneActivity(): Promise<void> {
  await remote.nothing();
}

/** As many activities, one after the other, and signals as a real life; the first activities send the signals. */
export async function bareLife(shape: BareShape): Promise<void> {
  let received = 0;
  setHandler(nudgeSignal, () => void (received += 1));
  for (let i = 0; i < shape.remote; i += 1)
    await (i + 1 < shape.signals ? remote.signalBack() : remote.nothing());
  for (let i = 0; i < shape.local; i += 1) await local.nothing();
  await condition(() => received >= shape.signals);
}
