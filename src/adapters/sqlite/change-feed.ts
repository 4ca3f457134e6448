import type { ChangeFeed } from '../../domain/run/change-feed.js';
import type { StateDb } from './state-tables.js';

const AT_ONCE = 200;
/** Milliseconds. A state row may be committed after one that has a later time. */
const OVERLAP_MS = 2_000;

/** Tables `provenance_entry` and `forge_state`. */
export function createChangeFeed(db: StateDb): ChangeFeed {
  return {
    latest: async () => {
      const entry = await db
        .selectFrom('provenanceEntry')
        .select('seq')
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst();
      const state = await db
        .selectFrom('forgeState')
        .select('updatedAt')
        .orderBy('updatedAt', 'desc')
        .limit(1)
        .executeTakeFirst();
      return { seq: entry?.seq ?? 0, at: state?.updatedAt ?? 0 };
    },
    since: async ({ seq, at: last }, now) => {
      const at = Math.min(last, now);
      const entries = await db
        .selectFrom('provenanceEntry')
        .select(['seq', 'slug', 'source', 'key'])
        .where('seq', '>', seq)
        .orderBy('seq')
        .limit(AT_ONCE)
        .execute();
      const next = await db
        .selectFrom('forgeState')
        .select('updatedAt')
        .where('updatedAt', '>', at)
        .where('updatedAt', '<=', now)
        .orderBy('updatedAt')
        .limit(AT_ONCE)
        .execute();
      // Rows of the same millisecond go together, and those of the overlap, however many they are: each call gets on.
      const until = next.at(-1)?.updatedAt ?? at;
      const states = await db
        .selectFrom('forgeState')
        .select(['slug', 'status', 'phase', 'reason', 'prNumber'])
        .where('updatedAt', '>', at - OVERLAP_MS)
        .where('updatedAt', '<=', until)
        .orderBy('updatedAt')
        .orderBy('slug')
        .execute();
      return {
        changes: [
          ...entries.map((entry) => ({ kind: 'recorded' as const, ...entry })),
          ...states.map((row) => ({ kind: 'run' as const, ...row })),
        ],
        place: { seq: entries.at(-1)?.seq ?? seq, at: until },
      };
    },
  };
}
