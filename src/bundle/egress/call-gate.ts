const WINDOW_MS = 60_000;

/** At most so many calls a minute, counted by the minute: many are normal here, so no time is kept of each. */
export class CallGate {
  #count = 0;
  #until = -Infinity;

  constructor(
    private readonly perMinute: number,
    private readonly now: () => number,
  ) {}

  /** Counts one: 0, or when it is one too many the seconds until more are taken. */
  take(): number {
    const now = this.now();
    if (now >= this.#until) {
      this.#count = 0;
      this.#until = now + WINDOW_MS;
    }
    this.#count += 1;
    return this.#count <= this.perMinute ? 0 : Math.max(1, Math.ceil((this.#until - now) / 1000));
  }
}
