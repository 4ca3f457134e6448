import { steadyOf, type Clock } from '../../domain/base/clock.js';

/** The wall clock went on by so much more than the other one that the machine slept, or was set, milliseconds. */
const SLEEP_MS = 5_000;

/** How long the machine slept: the monotonic clock stands still while Linux is suspended (clock_gettime(2)). */
export class Sleep {
  #seen: { readonly at: number; readonly steady: number };

  constructor(private readonly clock: Clock) {
    this.#seen = this.#look();
  }

  /** Milliseconds since it was asked last; negative where the clock was set back. */
  slept(): number {
    const [before, now] = [this.#seen, this.#look()];
    this.#seen = now;
    const ms = now.at - before.at - (now.steady - before.steady);
    return Math.abs(ms) > SLEEP_MS ? ms : 0;
  }

  #look(): { readonly at: number; readonly steady: number } {
    return { at: this.clock.now(), steady: steadyOf(this.clock) };
  }
}

/**
 * Since when check-ins can be heard: this process began, or its machine (a laptop that was closed, a virtual machine that was
 * stopped) last woke. What an agent said before that may not be written down yet, or could not be said.
 */
export class Waking {
  readonly #sleep: Sleep;
  #wokeAt: number;

  constructor(private readonly clock: Clock) {
    this.#sleep = new Sleep(clock);
    this.#wokeAt = clock.now();
  }

  /** Epoch milliseconds. Taken for now where the machine slept since the last call. */
  wokeAt(): number {
    if (this.#sleep.slept() > 0) this.#wokeAt = this.clock.now();
    return this.#wokeAt;
  }
}
