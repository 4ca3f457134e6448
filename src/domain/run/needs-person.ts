import type { FrozenReason } from './turn.js';

/** Of every reason that a run can be frozen for: whether it goes on only when a person does something about it. */
const NEEDS_PERSON: Readonly<Record<FrozenReason, boolean>> = {
  blocked: true,
  failed: true,
  stuck: true,
  incomplete: true,
  watchdog: true,
  timeout: true,
  sidecar_died: true,
  queue_flood: true,
  disk: true,
  history: true,
  budget: true,
  paused: true,
  // There is a pull request, and the forge tells people of it.
  done: false,
  // It goes on by itself.
  limited: false,
  // Somebody took it away on purpose.
  untriggered: false,
  unserved: false,
};

/** Frozen runs with one of these wait for a person. */
export const REASONS_FOR_PEOPLE: readonly string[] = Object.entries(NEEDS_PERSON).flatMap(
  ([reason, needs]) => (needs ? [reason] : []),
);
