import { mapLimited } from '../../domain/base/map-limited.js';
import type { Database } from '../../domain/run/stores.js';
import type { WatchedTurns } from '../../domain/run/watched-turn.js';

const AT_ONCE = 8;

export interface CheckinPorts {
  readonly database: Pick<Database, 'forgeState' | 'runs'>;
  readonly watched: WatchedTurns;
}

/** Writes down when the agents that work now were last heard of. Errors: those of the ports. */
export async function noteCheckins({ database, watched }: CheckinPorts): Promise<void> {
  await mapLimited(database.forgeState.running(), AT_ONCE, async ({ slug }) => {
    const run = database.runs.run(slug);
    const now = run === undefined ? undefined : await watched.of(run.workflowId);
    // Of another life of the issue, or not begun.
    if (now?.slug !== slug || now.lastCheckinAt === null) return;
    database.forgeState.checkedIn(slug, now.lastCheckinAt);
  });
}
