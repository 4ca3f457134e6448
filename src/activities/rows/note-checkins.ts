import { mapLimited } from '../../domain/base/map-limited.js';
import type { Database } from '../../domain/run/stores.js';
import type { WatchedTurns } from '../../domain/run/watched-turn.js';

const AT_ONCE = 8;

export interface CheckinPorts {
  readonly database: Pick<Database, 'forgeState'>;
  readonly watched: WatchedTurns;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Writes down when the agents that work now were last heard of. Errors: those of the ports. */
export async function noteCheckins({ database, watched, now: clock }: CheckinPorts): Promise<void> {
  await mapLimited(await database.forgeState.running(), AT_ONCE, async ({ slug, workflowId }) => {
    const now = await watched.of(workflowId);
    // Of another life of the issue, or not begun.
    if (now?.slug !== slug || now.lastCheckinAt === null) return;
    await database.forgeState.checkedIn(slug, now.lastCheckinAt, clock());
  });
}
