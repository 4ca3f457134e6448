const HOUR_MS = 3_600_000;
/**
 * Until a run is told once more. The first time may come before all queues know the new version; one that stays after the
 * others was pinned by somebody, and each time costs its history four events.
 */
const AGAIN_MS = [10_000, 60_000, HOUR_MS] as const;
const LONGEST_MS = 6 * HOUR_MS;

export class Reminders {
  private readonly told = new Map<string, { readonly times: number; readonly at: number }>();

  /**
   * Those that are to be told at `now`, and count as told.
   * @param now epoch milliseconds
   */
  due(ids: readonly string[], now: number): readonly string[] {
    return ids.filter((id) => {
      const { times, at } = this.told.get(id) ?? { times: 0, at: -Infinity };
      if (now - at < (AGAIN_MS[times - 1] ?? LONGEST_MS)) return false;
      this.told.set(id, { times: times + 1, at: now });
      return true;
    });
  }
}
