export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds that the machine was awake, from any beginning; without it, it never sleeps. */
  steady?(): number;
}

/** Its steady clock, or the one it has. */
export function steadyOf(clock: Clock): number {
  return clock.steady?.() ?? clock.now();
}
