import { setTimeout as delay } from 'node:timers/promises';
import { PATIENCE } from '../scale/patience.js';

/** A turn whose worker is silent for that long, 10 s, is taken for lost: the product's own limit. */
export const HEARTBEAT_LIMIT_MS = 10_000 * PATIENCE;
const PAUSE_MS = 20;

/** Somebody else's work beside hostile cases: done again and again, and counted. */
export class Heart {
  beats = 0;
  /** Between the ends of two beats. */
  longestGapMs = 0;
  #error: Error | undefined;
  #stopped = false;
  readonly #beating: Promise<void>;

  constructor(beat: () => Promise<unknown>) {
    this.#beating = this.#run(beat).catch((error: unknown) => {
      this.#error = new Error('a beat failed', { cause: error });
    });
  }

  /** What the work came to. Errors: when no beat that began after it did ends in time, and the beats' own. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const before = this.beats;
    const result = await work();
    const deadline = performance.now() + HEARTBEAT_LIMIT_MS;
    // The first one may have begun before.
    while (this.beats < before + 2) {
      if (this.#error !== undefined) throw this.#error;
      if (performance.now() > deadline) throw new Error('the heart stands still');
      await delay(PAUSE_MS);
    }
    return result;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#beating;
    if (this.#error !== undefined) throw this.#error;
  }

  async #run(beat: () => Promise<unknown>): Promise<void> {
    let last = performance.now();
    while (!this.#stopped) {
      await beat();
      const now = performance.now();
      this.longestGapMs = Math.max(this.longestGapMs, now - last);
      last = now;
      this.beats += 1;
      await delay(PAUSE_MS);
    }
  }
}
