import type { FrozenReason } from './turn.js';

interface Meaning {
  /** Comments, reviews and pushes wake the run; else they wait. */
  readonly wakes: boolean;
  /** Whoever assigned the issue sees on the forge that the run froze: it waits for somebody to do something. */
  readonly isToldOnForge: boolean;
  /** It goes on only when a person does something about it. */
  readonly needsPerson: boolean;
}

const ASKS = { wakes: true, isToldOnForge: false, needsPerson: true } as const;
const RESTS = { wakes: false, isToldOnForge: false, needsPerson: false } as const;

/** Of every reason that a run can be frozen for. */
export const FROZEN_REASONS: Readonly<Record<FrozenReason, Meaning>> = {
  blocked: { ...ASKS, isToldOnForge: true },
  failed: { ...ASKS, isToldOnForge: true },
  stuck: ASKS,
  incomplete: ASKS,
  watchdog: ASKS,
  timeout: ASKS,
  sidecar_died: ASKS,
  queue_flood: ASKS,
  disk: ASKS,
  history: ASKS,
  budget: { wakes: false, isToldOnForge: true, needsPerson: true },
  paused: { ...ASKS, wakes: false },
  // There is a pull request, and the forge tells people of it.
  done: { ...ASKS, needsPerson: false },
  // It goes on by itself.
  limited: RESTS,
  // Somebody took it away on purpose.
  untriggered: RESTS,
  unserved: RESTS,
};

/** Frozen runs with one of these wait for a person. */
export const REASONS_FOR_PEOPLE: readonly string[] = Object.entries(FROZEN_REASONS).flatMap(
  ([reason, { needsPerson }]) => (needsPerson ? [reason] : []),
);
