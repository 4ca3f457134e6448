import { isLocal } from '../../domain/forge/issue.js';
import { isLiving, statusOf, type ForgeStateRow } from '../../domain/run/rows.js';
import type { RunView } from '../../workflows/messages.js';
import type { RunSummary, StepUnderWay } from '../base/orchestrator.js';
import type { OrchestratorWorld } from './orchestrator-world.js';

/** A line of `status`: what the workflow says, or the row where that does not answer. */
export async function summaryOf(
  { database, fetchCommand }: Pick<OrchestratorWorld, 'database' | 'fetchCommand'>,
  row: ForgeStateRow,
  liveView: (row: ForgeStateRow) => Promise<RunView | undefined>,
  liveStep: (row: ForgeStateRow) => Promise<StepUnderWay | null>,
): Promise<RunSummary> {
  const { slug, prUrl } = row;
  const [view, step, sessions] = await Promise.all([
    liveView(row),
    liveStep(row),
    database.sessions.ofRun(slug),
  ]);
  const { phase, reason } = view ?? row;
  const { detail, spent } = view ?? { detail: null, spent: null };
  return {
    issue: isLocal(row) ? null : `${row.owner}/${row.repo}#${String(row.issueNumber)}`,
    issueUrl: row.issueUrl,
    slug,
    agent: row.agentName,
    bottles: row.bottleNames,
    backend: row.backendName,
    gitUser: row.agentGitUser,
    status: statusOf(phase),
    phase,
    reason,
    detail,
    step,
    spent,
    lastCheckinAt: row.lastCheckinAt,
    pr: view?.prs.at(-1) ?? row.prNumber,
    prUrl,
    stale: view === undefined && isLiving(row),
    fetch: fetchCommand(slug),
    session: sessions.at(-1) ?? null,
  };
}
