/**
 * What `gc` removes: only what ended, or was last used, longer ago than `GC_KEEP`. What should not be there at all is the
 * sweeper's (`sweep-decisions.ts`); `gc` shows it.
 */
import type { HomeUsage } from './home-usage.js';
import type { SweepAction } from './sweep.js';

export type GcRemoval = { readonly bytes: number } &
  /** Files of a run that is over; rows and commits that nobody has stay. */
  (
    | { readonly kind: 'run'; readonly slug: string }
    | { readonly kind: 'mirror'; readonly directory: string }
    | { readonly kind: 'image'; readonly reference: string }
    | { readonly kind: 'blob'; readonly ref: string }
  );

/** Each removal looks again at what it is about, and leaves it when it is needed after all. */
export interface Janitor {
  readonly keepMs: number;
  /** Epoch milliseconds. */
  now(): number;
  /** Without it nothing can be removed: only Temporal knows which runs are over. */
  temporalAnswers(): Promise<boolean>;
  measure(): Promise<HomeUsage>;
  /** What the sweeper would do if it came twice now; it does so by itself. Empty without Temporal. */
  orphans(): Promise<readonly SweepAction[]>;
  /** Answers why it was kept, or `null` when it is gone. Errors: the system's. */
  remove(removal: GcRemoval): Promise<string | null>;
  close(): Promise<void>;
}

export function planGc(
  { runs, mirrors, images, blobs }: HomeUsage,
  { now, keepMs }: { readonly now: number; readonly keepMs: number },
): GcRemoval[] {
  const isOld = (at: number | null): boolean => at !== null && at <= now - keepMs;
  return [
    ...runs
      .filter(({ state, endedAt, unfinished }) => state === 'ended' && !unfinished && isOld(endedAt))
      .map(({ slug, turns, transcript, rest }) => ({
        kind: 'run' as const,
        slug,
        bytes: turns + transcript + rest,
      }))
      .filter(({ bytes }) => bytes > 0),
    ...mirrors
      .filter(({ inUse, usedAt }) => !inUse && isOld(usedAt))
      .map(({ directory, bytes }) => ({ kind: 'mirror' as const, directory, bytes })),
    ...images
      .filter(({ inUse, createdAt }) => !inUse && isOld(createdAt))
      .map(({ reference, bytes }) => ({ kind: 'image' as const, reference, bytes })),
    ...blobs
      .filter(({ referenced, storedAt }) => !referenced && isOld(storedAt))
      .map(({ ref, bytes }) => ({ kind: 'blob' as const, ref, bytes })),
  ];
}
