import { isLocal } from '../../domain/forge/issue.js';
import { isLiving, statusOf, type ForgeStateRow } from '../../domain/run/rows.js';
import { stateQuery, type RunView } from '../../workflows/messages.js';
import type { RunSummary, StepUnderWay } from '../base/orchestrator.js';
import { call, noAnswer } from './call-workflow.js';
import type { OrchestratorWorld } from './orchestrator-world.js';
import { stepUnderWay } from './step-under-way.js';

const LIVE_MS = 3_000;

/** Asks a workflow only for what its row says, too, so nobody waits long for the answer. */
export function quick(world: OrchestratorWorld): OrchestratorWorld {
  return { ...world, callMs: LIVE_MS };
}

/** A line of `status`: what the workflow says, or the row where that does not answer. */
export async function summaryOf(world: OrchestratorWorld, row: ForgeStateRow): Promise<RunSummary> {
  const { slug, prUrl } = row;
  const [view, step, sessions] = await Promise.all([
    liveView(world, row),
    liveStep(world, row),
    world.database.sessions.ofRun(slug),
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
    fetch: world.fetchCommand(slug),
    session: sessions.at(-1) ?? null,
  };
}

/** Rows are written at the turns of a life; in between the workflow knows better. Without Temporal the row stands. */
async function liveView(world: OrchestratorWorld, row: ForgeStateRow): Promise<RunView | undefined> {
  if (!isLiving(row)) return undefined;
  const live = await call(quick(world), (handle) => handle.query(stateQuery), row.workflowId).catch(noAnswer);
  return live?.slug === row.slug ? live : undefined;
}

async function liveStep(world: OrchestratorWorld, row: ForgeStateRow): Promise<StepUnderWay | null> {
  if (!isLiving(row)) return null;
  const found = await call(quick(world), (handle) => handle.describe(), row.workflowId).catch(noAnswer);
  return found === undefined ? null : stepUnderWay(world.client, found);
}
