/** The wall clock went on by so much more than the other one that the machine slept, or was set, milliseconds. */
const SLEEP_MS = 5_000;

/**
 * When this machine last woke, as far as this process knows: a laptop that was closed, a virtual machine that was stopped. No
 * agent on it could check in meanwhile. The monotonic clock stands still while Linux is suspended (clock_gettime(2)).
 */
export class Waking {
  #seenAt: number;
  #seenSteady: number;
  #wokeAt = 0;

  /** @param now epoch milliseconds @param steady milliseconds that the machine was awake */
  constructor(
    private readonly now: () => number,
    private readonly steady: () => number = () => performance.now(),
  ) {
    this.#seenAt = now();
    this.#seenSteady = steady();
  }

  /** Epoch milliseconds, 0 when it did not sleep. Taken for now where it slept since the last call. */
  wokeAt(): number {
    const [at, steady] = [this.now(), this.steady()];
    if (at - this.#seenAt - (steady - this.#seenSteady) > SLEEP_MS) this.#wokeAt = at;
    [this.#seenAt, this.#seenSteady] = [at, steady];
    return this.#wokeAt;
  }
}
