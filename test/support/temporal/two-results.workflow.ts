import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';

export interface Steps {
  quick(): Promise<void>;
  slow(): Promise<void>;
  afterQuick(): Promise<void>;
  afterSlow(): Promise<void>;
}

const limits = { startToCloseTimeout: '10 seconds' } as const;
const { quick, slow } = proxyLocalActivities<Steps>(limits);
const { afterQuick, afterSlow } = proxyActivities<Steps>(limits);

/** Two local activities under way at once. What the quick one leads to takes a few more promises. */
export async function twoResults(): Promise<void> {
  await Promise.all([
    quick()
      .then(() => undefined)
      .then(() => undefined)
      .then(() => undefined)
      .then(afterQuick),
    slow().then(afterSlow),
  ]);
}
