import { mock } from 'node:test';
import { PATIENCE } from '../scale/patience.js';

const MOST_MS = 20_000;

/** Waits of `setTimeout`, which must be mocked, are passed by at once, so many milliseconds a step, until the work is over. */
export async function passTime<T>(work: Promise<T>, stepMs = 250): Promise<T> {
  const over = { yet: false };
  const end = (): void => {
    over.yet = true;
  };
  work.then(end, end);
  await steps(() => over.yet, stepMs);
  return work;
}

/** The same until a condition holds, in small steps: it mostly waits for a file, and no grace may run out meanwhile. */
export async function passTimeUntil(holds: () => boolean, stepMs = 5): Promise<void> {
  await steps(holds, stepMs);
}

async function steps(isOver: () => boolean, stepMs: number): Promise<void> {
  // By a clock that is not mocked: what waits on the disk needs real time.
  const deadline = performance.now() + MOST_MS * PATIENCE;
  while (!isOver()) {
    if (performance.now() > deadline) throw new Error('it never comes to its end');
    await new Promise((resolve) => setImmediate(resolve));
    if (!isOver()) mock.timers.tick(stepMs);
  }
}
