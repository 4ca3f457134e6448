import type { DiskUsage } from '../../domain/bottle/disk-usage.js';

/** A measure of a run, and what was known besides when it began. */
export interface PastMeasure {
  readonly held: DiskUsage;
  /** What all file systems held together. */
  readonly used: DiskUsage;
  /** What each other run held at most, by slug; `null` for nobody knows. */
  readonly others: ReadonlyMap<string, DiskUsage | null>;
}

/** A run whose turn may have to be stopped because little is free. */
export interface Holder {
  readonly slug: string;
  /** As just measured; `null` when that failed or takes too long. */
  readonly held: DiskUsage | null;
  readonly before: PastMeasure | null;
  /** When its turn began; `null` for nobody knows. */
  readonly began: DiskUsage | null;
  readonly limit: DiskUsage;
}

/**
 * The most that a run may hold. One that was not measured now holds what it held before and what the disk has gained
 * since, but for what the others are known to have gained: a tree that is slow to walk hides nothing, and somebody who
 * only has one is not taken for the run that wrote. One that was never measured may hold all that it is allowed.
 * @param used what all file systems hold together now
 */
export function mostHeld(
  holder: Holder,
  all: readonly Holder[],
  used: DiskUsage,
  what: keyof DiskUsage,
): number {
  const { held, before, limit } = holder;
  if (held !== null) return held[what];
  if (before === null) return limit[what];
  const gained = all
    .filter((other) => other !== holder)
    .reduce((total, other) => total + gainOf(other, before, what), 0);
  return before.held[what] + Math.max(0, used[what] - before.used[what] - gained);
}

/** What a run has certainly gained since another one was measured. */
function gainOf({ slug, held, began }: Holder, { others }: PastMeasure, what: keyof DiskUsage): number {
  const then = others.has(slug) ? others.get(slug) : began;
  return held === null || !then ? 0 : Math.max(0, held[what] - then[what]);
}
