/** Rows of `bot-bottle.db`. Times are epoch milliseconds. */
import { isLocal, subjectOfWorkflow } from '../forge/issue.js';
import type { Place, RepoRef, SubjectRef } from '../forge/issue.js';
import type { DecisionStatus, ProposalTool } from '../supervise/proposal.js';

export type RunStatus = 'running' | 'frozen' | 'destroyed';

/** What a state row says of a phase. */
export function statusOf(phase: string): RunStatus {
  return phase === 'frozen' || phase === 'destroyed' ? phase : 'running';
}

export interface ForgeStateRow {
  readonly forge: RepoRef['forge'];
  readonly owner: string;
  readonly repo: string;
  readonly issueNumber: number;
  readonly slug: string;
  readonly agentName: string;
  readonly bottleNames: readonly string[];
  readonly backendName: string;
  readonly agentGitUser: string;
  readonly prNumber: number | null;
  readonly status: RunStatus;
  readonly lastCheckinAt: number | null;
  // Beside the seed's columns
  /** Names the repository as it was called when the run began. */
  readonly workflowId: string;
  readonly phase: string;
  readonly reason: string | null;
  /** The forge's id of the repository: survives a rename or transfer. */
  readonly repoId: number | null;
  readonly host: string | null;
  readonly branch: string;
  readonly issueUrl: string;
  readonly prUrl: string | null;
  readonly updatedAt: number;
  /** When the last life ended: a trigger act not later than this starts nothing. */
  readonly destroyedAt: number | null;
  /** How often the run was moved to another host; absent: never. */
  readonly epoch?: number;
}

export interface RunRow {
  readonly slug: string;
  readonly workflowId: string;
  readonly subject: string;
  readonly agentName: string;
  readonly bottleNames: readonly string[];
  readonly triggerActor: string;
  readonly triggerAt: number;
  /** Orders trigger acts of the same second. */
  readonly triggerActId: number;
  readonly createdAt: number;
}

/** A run that goes on, as its rows add up: for lists of many that are read again and again. */
export interface RunOverviewRow {
  readonly slug: string;
  readonly workflowId: string;
  readonly phase: string;
  readonly reason: string | null;
  /** When its agent was first asked for; `null` before that is written. */
  readonly createdAt: number | null;
  /** The last that began; 0 before the first. */
  readonly turn: number;
  /** Of its ended turns, as metered. */
  readonly microUsd: number;
}

/** Append-only: one row when a turn began, one when it ended (`event`). */
export interface TurnRow {
  readonly slug: string;
  readonly turn: number;
  readonly event: 'begun' | 'ended';
  readonly at: number;
  /** JSON: what is known at that moment (prompt hash; exit code, done, publish result, session, image, transcript hash). */
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface OperationRow {
  readonly slug: string;
  readonly turn: number;
  readonly id: string;
  readonly at: number;
  readonly operation: string;
  readonly target: string;
  readonly outcome: 'ok' | 'refused' | 'failed';
  readonly text: string;
}

/** A session of a run: what its turns add up to. Input includes what came from the provider's cache. */
export interface SessionRow {
  readonly slug: string;
  readonly sessionId: string;
  /** `null` for turns of a version that did not note it; the version also for a CLI that has the product's own. */
  readonly provider: string | null;
  readonly providerVersion: string | null;
  readonly agent: string;
  /** Where the CLI is started: it finds its session by that. */
  readonly cwd: string;
  readonly firstTurn: number;
  readonly lastTurn: number;
  readonly turns: number;
  /** Metered by the credential proxy; 0 where nothing was. */
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly microUsd: number;
  /** As the CLI printed it: the agent's own word. */
  readonly reportedInputTokens: number;
  readonly reportedCachedTokens: number;
  readonly reportedOutputTokens: number;
  /** US dollars; `null` when the CLI never says. */
  readonly reportedUsd: number | null;
  readonly updatedAt: number;
  /** `rotated`: a later turn had another session. `lost`: its CLI did not know it any more. `null` while it goes on. */
  readonly endedReason: 'rotated' | 'lost' | null;
}

/** Append-only: a command of an operator that was accepted. */
export interface OperatorCommandRow {
  /** The same when it is written again. */
  readonly id: string;
  readonly at: number;
  /** `user@host`, as the sender said. */
  readonly who: string;
  readonly kind: string;
  /** JSON: the command's parameters; a prompt is a blob reference. */
  readonly detail: Readonly<Record<string, unknown>>;
  /** The run it was for; `null` for all of them. */
  readonly slug: string | null;
  /** The workflow that carried it out. */
  readonly workflowId: string;
}

/** A trigger that started nothing, for `status --rejected`. */
export interface RejectionRow {
  readonly subject: string;
  readonly at: number;
  readonly reason: string;
}

/** A repository is known by its id; a row written before the id was known, by its name. */
export function isRowIn(
  row: Pick<ForgeStateRow, 'forge' | 'repoId' | 'owner' | 'repo'>,
  place: Place,
): boolean {
  if (isLocal(row)) return false;
  if (row.repoId !== null) return row.repoId === place.repoId;
  return row.owner === place.owner && row.repo === place.repo;
}

/** The name a run's workflow has: that of the repository when the run began. */
export function identityOf(row: ForgeStateRow): SubjectRef {
  const { forge, owner, repo, issueNumber: number, workflowId } = row;
  return subjectOfWorkflow(workflowId) ?? { forge, owner, repo, number };
}

export function isLiving({ status }: Pick<ForgeStateRow, 'status'>): boolean {
  return status !== 'destroyed';
}

/** Of several runs with something to do with it the one that goes on, else the one whose row was written last. */
export function latestOf(rows: readonly ForgeStateRow[]): ForgeStateRow | undefined {
  const living = rows.filter(isLiving);
  return [...(living.length > 0 ? living : rows)].sort((a, b) => b.updatedAt - a.updatedAt)[0];
}

/** What was proposed for a run [S2]. */
export interface ProposalRow {
  readonly slug: string;
  /** As in `Proposal`. */
  readonly id: string;
  readonly workflowId: string;
  readonly tool: ProposalTool;
  readonly turn: number;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Blob of the `ShownProposal`; its name is the hash that a decision binds to. */
  readonly ref: string;
  readonly origin: ProposalOrigin;
}

/** Who proposes: the agent, or the orchestrator for a host that was refused and that the agent did not ask for. */
export type ProposalOrigin = 'agent' | 'refusal';

/** What came of it. */
export interface ProposalDecisionRow {
  readonly slug: string;
  readonly id: string;
  readonly status: DecisionStatus;
  /** `user@host`, as the sender said. */
  readonly who: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Blob of the `ShownProposal` that took effect; `null` when nothing did. */
  readonly ref: string | null;
  /** Blob of the operator's words; `null` without any. */
  readonly notesRef: string | null;
}
