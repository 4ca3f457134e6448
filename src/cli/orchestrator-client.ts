/** The commands' orchestrator over Temporal: updates for commands, queries for what is, rows for the list. */
import { dayOf } from '../domain/run/budget.js';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  isGrpcServiceError,
  ServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { InvalidInputError } from '../domain/base/errors.js';
import type { OperatorCommand } from '../domain/run/events.js';
import type { SubjectRef } from '../domain/forge/issue.js';
import { isLocal, workflowIdOf } from '../domain/forge/issue.js';
import { identityOf, statusOf } from '../domain/run/rows.js';
import type { Database } from '../domain/run/stores.js';
import type { ForgeStateRow, RejectionRow } from '../domain/run/rows.js';
import { commandUpdates, stateQuery, timelineQuery } from '../workflows/messages.js';
import type { CommandAccepted, RunView } from '../workflows/messages.js';
import { CliError, UnreachableError } from './base/errors.js';
import { changePause } from './change-pause.js';
import { rowOf } from './row-of-target.js';
import { EXIT } from './base/exit-codes.js';
import { stepUnderWay, type StepUnderWay } from './base/step-under-way.js';
import type {
  LocalOptions,
  NotFound,
  Orchestrator,
  Refused,
  Started,
  RunCommand,
  RunSource,
  RunSummary,
  StartOptions,
  TurnOutcome,
} from './base/orchestrator.js';

export interface OrchestratorWorld {
  readonly client: Client;
  /** Open for reading. */
  readonly database: Database;
  /** Who gives the commands (`isOperatorName`). */
  readonly by: string;
  /** Keeps a prompt where the worker finds it; returns its reference. */
  storePrompt(text: string): Promise<string>;
  /** Reads the subject fresh and sends it to its workflow as a trigger by the operator, starting that when needed. */
  trigger(subject: SubjectRef, options: StartOptions): Promise<{ readonly kind: 'sent' } | Refused>;
  /** The same for a run without an issue. */
  triggerLocal(
    source: RunSource,
    options: LocalOptions,
  ): Promise<{ readonly kind: 'sent'; readonly subject: SubjectRef } | Refused>;
  /** The command that fetches what a run without an issue has made; `null` when there is nothing. */
  fetchCommand(slug: string): string | null;
  /** Newest first. */
  rejections(limit: number): readonly RejectionRow[];
  close(): Promise<void>;
  /** Milliseconds a worker may take to answer. Default 15 s. */
  readonly callMs?: number;
}

const CALL_MS = 15_000;
const POLL_MS = 500;
const LIVE_VIEW_MS = 3_000;
/** A server that restarts must not end a wait of hours. */
const MAX_AWAY_MS = 5 * 60_000;

export function orchestratorClient(world: OrchestratorWorld): Orchestrator {
  const { database } = world;
  // A run that this command started is known before its row is written, and even if none ever is.
  const begun = new Map<string, SubjectRef>();
  const view = (subject: SubjectRef): Promise<RunView | undefined> =>
    call(world, (handle) => handle.query(stateQuery), subject);

  /** Rows are written at the turns of a life; in between the workflow knows better. Without Temporal the row stands. */
  async function liveView(row: ForgeStateRow): Promise<RunView | undefined> {
    if (row.status === 'destroyed') return undefined;
    const ask = { ...world, callMs: LIVE_VIEW_MS };
    const live = await call(ask, (handle) => handle.query(stateQuery), subjectOf(database, row)).catch(
      noAnswer,
    );
    return live?.slug === row.slug ? live : undefined;
  }

  async function liveStep(row: ForgeStateRow): Promise<StepUnderWay | null> {
    if (row.status === 'destroyed') return null;
    const ask = { ...world, callMs: LIVE_VIEW_MS };
    const found = await call(ask, (handle) => handle.describe(), subjectOf(database, row)).catch(noAnswer);
    return found === undefined ? null : stepUnderWay(world.client, found);
  }

  /** The last thing the workflow noted: why a run ended that never ran. */
  async function lastNote(subject: SubjectRef): Promise<string> {
    const timeline = await call(world, (handle) => handle.query(timelineQuery), subject);
    return timeline?.at(-1)?.what ?? 'see the log of the worker';
  }

  async function update(
    subject: SubjectRef,
    command: OperatorCommand,
  ): Promise<CommandAccepted | Refused | NotFound> {
    try {
      const { kind, ...asked } = command;
      const accepted = await call(
        world,
        (handle) => handle.executeUpdate(commandUpdates[kind], { args: [{ ...asked, by: world.by }] }),
        subject,
      );
      return accepted ?? { kind: 'not_found' };
    } catch (error) {
      if (error instanceof WorkflowUpdateFailedError)
        return { kind: 'refused', reason: error.cause?.message ?? error.message };
      throw error;
    }
  }

  async function begunRun(subject: SubjectRef, earlier: string | null): Promise<Started | Refused> {
    const fresh = await until(world.callMs ?? CALL_MS, async () => {
      const now = await view(subject);
      const slug = now?.slug ?? null;
      return slug !== null && slug !== earlier && now !== undefined && now.turn > 0
        ? { slug, turn: now.turn }
        : undefined;
    });
    // The workflow answers, so it took the trigger and ended again, or did not take it.
    if (fresh === undefined) return { kind: 'refused', reason: await lastNote(subject) };
    begun.set(fresh.slug, subject);
    return { kind: 'started', slug: fresh.slug, workflowId: workflowIdOf(subject), turn: fresh.turn };
  }

  return {
    async start(subject, options) {
      const before = await view(subject);
      const earlier = before?.slug ?? null;
      if (earlier !== null && before?.phase !== 'destroyed') {
        const reason = `${earlier} is ${before?.phase ?? 'there'}: bot-bottle orchestrate resume --slug ${earlier}`;
        return { kind: 'refused', reason };
      }
      const sent = await world.trigger(subject, options);
      if (sent.kind === 'refused') return sent;
      return begunRun(subject, earlier);
    },

    async startLocal(source, options) {
      const sent = await world.triggerLocal(source, options);
      return sent.kind === 'refused' ? sent : begunRun(sent.subject, null);
    },

    async resume(slug, prompt) {
      const row = rowOf(database, { kind: 'slug', slug });
      if (row === undefined) return { kind: 'not_found' };
      const answer = await update(subjectOf(database, row), {
        kind: 'resume',
        promptRef: await world.storePrompt(prompt),
      });
      if ('kind' in answer) return answer;
      return { kind: 'started', slug, workflowId: workflowIdOf(subjectOf(database, row)), turn: answer.turn };
    },

    async command(target, command) {
      const row = rowOf(database, target);
      // A run so young that it has no row yet is found by its issue all the same.
      const subject =
        row !== undefined ? subjectOf(database, row) : target.kind === 'subject' ? target.subject : undefined;
      if (subject === undefined) return { kind: 'not_found' };
      const answer = await update(subject, await operatorCommand(world, command));
      return 'kind' in answer ? answer : { kind: 'accepted', slug: answer.slug, phase: answer.phase };
    },

    async status({ all }) {
      const rows = database.forgeState.all().filter((row) => all || row.status !== 'destroyed');
      return Promise.all(rows.map((row) => summaryOf(world, row, liveView, liveStep)));
    },

    rejections: (limit) => Promise.resolve(world.rejections(limit)),

    pause: (action, scope) => changePause(world, { action, scope, by: world.by }),
    pauses: () => Promise.resolve(database.pauses.all()),

    commands: (limit) => Promise.resolve(database.operatorLog.latest(limit)),

    async waitForTurn(slug, turn) {
      const subject = begun.get(slug) ?? (await subjectOfSlug(database, slug));
      let awaySince: number | undefined;
      for (;;) {
        try {
          const now = await view(subject);
          awaySince = undefined;
          const outcome = outcomeOf(now, slug, turn, world.fetchCommand(slug));
          if (outcome === 'never_ran') {
            const why = now?.detail ?? (await lastNote(subject));
            throw new CliError('failed', EXIT.failed, `the turn did not run: ${why}`);
          }
          if (outcome !== undefined) return outcome;
        } catch (error) {
          awaySince ??= Date.now();
          if (!(error instanceof UnreachableError) || Date.now() - awaySince > MAX_AWAY_MS) throw error;
        }
        await sleep(POLL_MS);
      }
    },

    close: () => world.close(),
  };
}

async function summaryOf(
  { database, fetchCommand }: Pick<OrchestratorWorld, 'database' | 'fetchCommand'>,
  row: ForgeStateRow,
  liveView: (row: ForgeStateRow) => Promise<RunView | undefined>,
  liveStep: (row: ForgeStateRow) => Promise<StepUnderWay | null>,
): Promise<RunSummary> {
  const { slug, prUrl } = row;
  const [view, step] = await Promise.all([liveView(row), liveStep(row)]);
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
    stale: view === undefined && row.status !== 'destroyed',
    fetch: fetchCommand(slug),
    session: database.sessions.ofRun(slug).at(-1) ?? null,
  };
}

/** `undefined` when there is no such workflow. */
async function call<T>(
  world: OrchestratorWorld,
  ask: (handle: WorkflowHandle) => Promise<T>,
  subject: SubjectRef,
): Promise<T | undefined> {
  const { client, callMs = CALL_MS } = world;
  try {
    return await client.withDeadline(Date.now() + callMs, () =>
      ask(client.workflow.getHandle(workflowIdOf(subject))),
    );
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    if (!isAway(error)) throw error;
    throw new UnreachableError(
      'Temporal or its worker',
      'see bot-bottle doctor, and whether bot-bottle worker runs',
      { cause: error },
    );
  }
}

/** An answer that can't be decrypted is the operator's to mend. */
function noAnswer(error: unknown): undefined {
  if (error instanceof InvalidInputError) throw error;
  return undefined;
}

function isAway(error: unknown): boolean {
  return (
    error instanceof ServiceError ||
    error instanceof WorkflowUpdateRPCTimeoutOrCancelledError ||
    isGrpcServiceError(error)
  );
}

/** The row of a run that has just begun may come a moment later. */
async function subjectOfSlug(database: Database, slug: string): Promise<SubjectRef> {
  const row = await until(CALL_MS, () => Promise.resolve(rowOf(database, { kind: 'slug', slug })));
  if (row === undefined)
    throw new CliError(
      'not_found',
      EXIT.notFound,
      `no run ${slug}: bot-bottle orchestrate status lists the runs`,
    );
  return subjectOf(database, row);
}

/** The name its workflow has, whatever its repository is called now. */
function subjectOf(database: Pick<Database, 'runs'>, row: ForgeStateRow): SubjectRef {
  return identityOf(row, database.runs.run(row.slug));
}

async function operatorCommand(world: OrchestratorWorld, command: RunCommand): Promise<OperatorCommand> {
  if (command.kind === 'done') return { kind: 'done', status: 'success' };
  if (command.kind === 'budget') {
    const { today, ...amounts } = command;
    return { ...amounts, dayEnds: today ? dayOf(Date.now()).ends : null };
  }
  if (command.kind !== 'resume') return command;
  return {
    kind: 'resume',
    promptRef: command.prompt === null ? null : await world.storePrompt(command.prompt),
  };
}

/** `undefined` while the run does not rest. */
function outcomeOf(
  view: RunView | undefined,
  slug: string,
  turn: number,
  fetch: string | null,
): TurnOutcome | 'never_ran' | undefined {
  // No slug: the life is over. What its last turn gave is there until the next one begins.
  if (view === undefined || (view.slug !== null && view.slug !== slug)) {
    throw new CliError('not_found', EXIT.notFound, `${slug} has ended and its turn's result went with it`);
  }
  const { lastTurn, phase, detail, sessionId, prs } = view;
  if ((phase !== 'frozen' && phase !== 'destroyed') || view.turn < turn) return undefined;
  const about = { detail, sessionId, pr: prs.at(-1) ?? null, prs, fetch };
  if (lastTurn === null || lastTurn.turn < turn) {
    // A run that ended before its agent began has its reason in the timeline.
    if (view.reason === null) return 'never_ran';
    return { ...about, turn, exitCode: null, reason: view.reason, stopped: null, doneStatus: null };
  }
  // The one that followed was not run: why that is says how it ended.
  const reason = lastTurn.turn < view.turn ? (view.reason ?? lastTurn.reason) : lastTurn.reason;
  const isClosed = phase === 'destroyed' && lastTurn.stopped === 'closed' && lastTurn.doneStatus === null;
  return { ...about, ...lastTurn, reason: isClosed ? 'closed' : reason };
}

async function until<T>(ms: number, look: () => Promise<T | undefined>): Promise<T | undefined> {
  const deadline = Date.now() + ms;
  for (;;) {
    const found = await look();
    if (found !== undefined || Date.now() > deadline) return found;
    await sleep(POLL_MS / 5);
  }
}
