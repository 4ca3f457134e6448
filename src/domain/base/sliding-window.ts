const WINDOW_MS = 60_000;

/** At most so many events in any minute: the times of the last ones are kept, so the limit has no edge to exploit. */
export class SlidingWindow {
  readonly #times: number[] = [];

  /** @param now milliseconds, of any clock; one that is set back holds events up */
  constructor(
    readonly limit: number,
    private readonly now: () => number,
  ) {}

  /** Counts one event: 0, or when it is one too many the milliseconds until one would be taken. */
  take(): number {
    const now = this.now();
    while (this.#times[0] !== undefined && this.#times[0] <= now - WINDOW_MS) this.#times.shift();
    const oldest = this.#times[0];
    if (oldest !== undefined && this.#times.length >= this.limit)
      return Math.max(1, oldest + WINDOW_MS - now);
    this.#times.push(now);
    return 0;
  }
}
