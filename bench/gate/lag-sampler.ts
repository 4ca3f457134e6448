import { setTimeout as sleep } from 'node:timers/promises';

const EVERY_MS = 5;

/**
 * How late whatever comes to the event loop is served. A loop that stands still for a second holds up all that comes in that
 * second: it counts as the 200 samples that it has swallowed, not as one.
 */
export class LagSampler {
  /** Milliseconds. */
  readonly samples: number[] = [];

  /** Samples while the work runs. Answers the longest, milliseconds. */
  async during(work: () => Promise<unknown>): Promise<number> {
    const state = { ended: false, longest: 0 };
    const sampling = (async () => {
      while (!state.ended) {
        const began = performance.now();
        await sleep(EVERY_MS);
        const late = Math.max(0, performance.now() - began - EVERY_MS);
        state.longest = Math.max(state.longest, late);
        for (let left = late; left >= 0; left -= EVERY_MS) this.samples.push(left);
      }
    })();
    try {
      await work();
    } finally {
      state.ended = true;
      await sampling;
    }
    return state.longest;
  }
}
