import { mapLimited } from '../../domain/base/map-limited.js';
import { identityOf, type ForgeStateRow } from '../../domain/run/rows.js';
import { workflowIdOf } from '../../domain/forge/issue.js';
import { SWEEP_MIN_AGE_MS } from '../../domain/upkeep/sweep-decisions.js';
import type { RunStates } from '../../domain/run/run-states.js';
import type { Database } from '../../domain/run/stores.js';
import type { ExpectedRun, SweepEntry } from '../../domain/upkeep/sweep.js';
import { beating } from '../base/beating.js';
import { typedFailures } from '../base/failures.js';
import type { HomePorts } from '../ports/home-ports.js';
import type { RowReview, RowReviewActivities } from '../ports/interface.js';

export interface ReviewPorts extends Pick<HomePorts, 'database' | 'clock' | 'log'> {
  readonly runStates: RunStates;
}

const AT_ONCE = 4;

export function createRowReviewActivities(ports: ReviewPorts): RowReviewActivities {
  return { reviewRows: ({ host }) => typedFailures(() => beating(() => reviewRows(ports, host))) };
}

/**
 * Rows of runs whose workflow has ended without saying so (terminated, or lost with Temporal's database) become
 * destroyed; the living ones of the host are answered. A workflow that cannot be asked is alive.
 */
export async function reviewRows(ports: ReviewPorts, host: string): Promise<RowReview> {
  const { database, clock } = ports;
  const rows = database.forgeState.all().filter(({ status }) => status !== 'destroyed');
  const expected = expectedRuns(database, host);
  const old = rows.filter((row) => row.updatedAt <= clock.now() - SWEEP_MIN_AGE_MS);
  const repaired = await mapLimited(old, AT_ONCE, (row) => review(ports, row));
  return { expected, repaired: repaired.filter((entry) => entry !== undefined) };
}

/** What the database believes to live on the host. */
export function expectedRuns(database: Database, host: string): ExpectedRun[] {
  return database.forgeState
    .all()
    .filter((row) => row.status !== 'destroyed' && row.host === host)
    .map((row) => ({ ...idsOf(database, row), branch: row.branch }));
}

function idsOf(database: Database, row: ForgeStateRow): Omit<ExpectedRun, 'branch'> {
  const { slug, forge, owner, repo, issueNumber: number } = row;
  const workflowId = workflowIdOf(identityOf(row, database.runs.run(slug)));
  return { slug, workflowId, subject: { forge, owner, repo, number } };
}

async function review(ports: ReviewPorts, row: ForgeStateRow): Promise<SweepEntry | undefined> {
  const { slug, workflowId } = idsOf(ports.database, row);
  const state = await ports.runStates.of(workflowId);
  if (state.kind !== 'closed' && state.kind !== 'gone') return undefined;
  // What the forge's people do later than this may start a new run; of a lost one nothing later is known than its row.
  const endedAt = state.kind === 'closed' ? state.at : row.updatedAt;
  const { database, clock } = ports;
  const done = database.transaction(() => {
    const now = database.forgeState.ofRun(slug);
    if (now === undefined || now.status === 'destroyed' || now.updatedAt !== row.updatedAt) return false;
    database.forgeState.upsert({
      ...now,
      status: 'destroyed',
      phase: 'destroyed',
      reason: null,
      destroyedAt: endedAt,
      updatedAt: clock.now(),
    });
    return true;
  });
  if (!done) return undefined;
  const detail =
    state.kind === 'closed'
      ? 'its workflow ended without destroying it'
      : 'Temporal has no such workflow any more';
  ports.log.warn({ slug, workflowId, detail }, 'state row repaired: destroyed');
  return { slug, what: 'row_repaired', outcome: 'done', detail };
}
