/** The wall clock went on by so much more than the other one that the machine slept, or was set, milliseconds. */
const SLEEP_MS = 5_000;

/**
 * Since when check-ins can be heard: this process began, or its machine (a laptop that was closed, a virtual machine that was
 * stopped) last woke. What an agent said before that may not be written down yet, or could not be said. The monotonic
 * clock stands still while Linux is suspended (clock_gettime(2)).
 */
export class Waking {
  #seenAt: number;
  #seenSteady: number;
  #wokeAt: number;

  /** @param now epoch milliseconds @param steady milliseconds that the machine was awake */
  constructor(
    private readonly now: () => number,
    private readonly steady: () => number = () => performance.now(),
  ) {
    this.#wokeAt = this.#seenAt = now();
    this.#seenSteady = steady();
  }

  /** Epoch milliseconds. Taken for now where the machine slept since the last call. */
  wokeAt(): number {
    const [at, steady] = [this.now(), this.steady()];
    if (at - this.#seenAt - (steady - this.#seenSteady) > SLEEP_MS) this.#wokeAt = at;
    [this.#seenAt, this.#seenSteady] = [at, steady];
    return this.#wokeAt;
  }
}
