export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds that the machine was awake, from any beginning; without it, it never sleeps. */
  steady?(): number;
}
