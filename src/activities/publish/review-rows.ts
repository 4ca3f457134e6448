import { mapLimited } from '../../domain/base/map-limited.js';
import type { ForgeStateRow } from '../../domain/run/rows.js';
import { SWEEP_MIN_AGE_MS } from '../../domain/upkeep/sweep-decisions.js';
import type { RunStates } from '../../domain/run/run-states.js';
import type { ExpectedRun, SweepEntry } from '../../domain/upkeep/sweep.js';
import { recordDecision } from '../supervise/record-proposals.js';
import { destroyedRow } from '../rows/record-rows.js';
import { sealRun } from '../rows/seal-run.js';
import { beating } from '../base/beating.js';
import { typedFailures } from '../base/failures.js';
import type { HomePorts } from '../ports/home-ports.js';
import type { RowReview, RowReviewActivities } from '../ports/interface.js';

export interface ReviewPorts extends Pick<
  HomePorts,
  'auditLog' | 'blobs' | 'clock' | 'database' | 'log' | 'proposalFiles' | 'signer'
> {
  readonly runStates: RunStates;
}

const AT_ONCE = 4;

export function createRowReviewActivities(ports: ReviewPorts): RowReviewActivities {
  return typedFailures({ reviewRows: ({ host }) => beating(() => reviewRows(ports, host)) });
}

/**
 * Rows of runs whose workflow has ended without saying so (terminated, or lost with Temporal's database) become
 * destroyed, with the seal and the cancelled proposals that its own end would have left; the living ones of the host are
 * answered. A workflow that cannot be asked is alive.
 */
export async function reviewRows(ports: ReviewPorts, host: string): Promise<RowReview> {
  const { database, clock } = ports;
  const rows = await database.forgeState.living();
  const expected = expectedRuns(rows, host);
  const old = rows.filter((row) => row.updatedAt <= clock.now() - SWEEP_MIN_AGE_MS);
  const repaired = await mapLimited(old, AT_ONCE, (row) => review(ports, row));
  return { expected, repaired: repaired.filter((entry) => entry !== undefined) };
}

/** What the database believes to live on the host. @param living every row that goes on */
export function expectedRuns(living: readonly ForgeStateRow[], host: string): ExpectedRun[] {
  return living
    .filter((row) => row.host === host)
    .map(({ slug, workflowId, forge, owner, repo, issueNumber: number, branch }) => ({
      ...{ slug, workflowId, branch },
      subject: { forge, owner, repo, number },
    }));
}

async function review(ports: ReviewPorts, row: ForgeStateRow): Promise<SweepEntry | undefined> {
  const { slug, workflowId } = row;
  const state = await ports.runStates.of(workflowId);
  if (state.kind !== 'closed' && state.kind !== 'gone') return undefined;
  // What the forge's people do later than this may start a new run; of a lost one nothing later is known than its row.
  const endedAt = state.kind === 'closed' ? state.at : row.updatedAt;
  const { database, clock, signer } = ports;
  await cancelProposals(ports, slug);
  const done = await database.transaction(async (stores) => {
    const { forgeState } = stores;
    const now = await forgeState.ofRun(slug);
    if (now === undefined || now.status === 'destroyed' || now.updatedAt !== row.updatedAt) return false;
    await sealRun(stores, signer, { slug, reason: 'destroyed', at: clock.now() });
    await forgeState.upsert(destroyedRow(now, endedAt, clock.now()));
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

/** Nobody is left to be told what was decided. One that cannot be read keeps no row from being repaired. */
async function cancelProposals(ports: ReviewPorts, slug: string): Promise<void> {
  const waiting = (await ports.database.proposals.ofRun(slug)).filter(({ decision }) => decision === null);
  for (const { id } of waiting)
    try {
      await recordDecision(ports, {
        slug,
        decision: {
          id,
          status: 'cancelled',
          who: 'bot-bottle',
          at: ports.clock.now(),
          ref: null,
          notesRef: null,
        },
      });
    } catch (error) {
      ports.log.warn({ slug, proposal: id, err: error }, 'a proposal of a lost run could not be cancelled');
    }
}
