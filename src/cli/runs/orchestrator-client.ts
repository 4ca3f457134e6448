/** The commands' orchestrator over Temporal: updates for commands, queries for what is, rows for the list. */
import { setTimeout as sleep } from 'node:timers/promises';
import { workflowIdOf } from '../../domain/forge/issue.js';
import { dayOf } from '../../domain/run/budget.js';
import type { OperatorCommand } from '../../domain/run/events.js';
import { isLiving } from '../../domain/run/rows.js';
import {
  commandUpdates,
  stateQuery,
  timelineQuery,
  type CommandAccepted,
  type RunView,
} from '../../workflows/messages.js';
import { CliError, UnreachableError } from '../base/errors.js';
import { EXIT } from '../base/exit-codes.js';
import type { NotFound, Orchestrator, Refused, RunCommand, Started } from '../base/orchestrator.js';
import { call, CALL_MS, refusalOf, send } from './call-workflow.js';
import { changePause } from './change-pause.js';
import type { OrchestratorWorld } from './orchestrator-world.js';
import { patiently } from './patiently.js';
import { proposalDesk } from './proposal-desk-client.js';
import { rowOf } from './row-of-target.js';
import { quick, summaryOf } from './run-summary.js';
import { outcomeOf } from './turn-outcome.js';

const POLL_MS = 500;

export function orchestratorClient(world: OrchestratorWorld): Orchestrator {
  const { database } = world;
  const view = (workflowId: string): Promise<RunView | undefined> =>
    call(world, (handle) => handle.query(stateQuery), workflowId);

  /** The last thing the workflow noted: why a run ended that never ran. */
  async function lastNote(workflowId: string): Promise<string> {
    const timeline = await call(world, (handle) => handle.query(timelineQuery), workflowId);
    return timeline?.at(-1)?.what ?? 'see the log of the worker';
  }

  async function update(
    workflowId: string,
    command: OperatorCommand,
  ): Promise<CommandAccepted | Refused | NotFound> {
    const { kind, ...asked } = command;
    const sent = { ...asked, by: world.by };
    const accepted = await send(world, commandUpdates[kind], sent, workflowId).catch(refusalOf);
    return accepted ?? { kind: 'not_found' };
  }

  async function begunRun(workflowId: string, earlier: string | null): Promise<Started | Refused> {
    const fresh = await until(world.callMs ?? CALL_MS, async () => {
      const now = await view(workflowId);
      const slug = now?.slug ?? null;
      return slug !== null && slug !== earlier && now !== undefined && now.turn > 0
        ? { slug, turn: now.turn }
        : undefined;
    }).catch((error: unknown) => {
      if (!(error instanceof UnreachableError)) throw error;
      // Asked for again it would be a second run, where it is of a directory.
      throw new UnreachableError(
        'the worker',
        'the run is asked for and begins as soon as one runs, bot-bottle worker: see bot-bottle orchestrate status',
        { cause: error },
      );
    });
    // The workflow answers, so it took the trigger and ended again, or did not take it.
    if (fresh === undefined) return { kind: 'refused', reason: await lastNote(workflowId) };
    return { kind: 'started', slug: fresh.slug, workflowId, turn: fresh.turn };
  }

  return {
    async start(subject, options) {
      const workflowId = workflowIdOf(subject);
      const before = await view(workflowId);
      const earlier = before?.slug ?? null;
      if (earlier !== null && before?.phase !== 'destroyed') {
        const reason = `${earlier} is ${before?.phase ?? 'there'}: bot-bottle orchestrate resume --slug ${earlier}`;
        return { kind: 'refused', reason };
      }
      const sent = await world.trigger(subject, options);
      if (sent.kind === 'refused') return sent;
      return begunRun(workflowId, earlier);
    },

    async startLocal(source, options) {
      const sent = await world.triggerLocal(source, options);
      return sent.kind === 'refused' ? sent : begunRun(workflowIdOf(sent.subject), null);
    },

    async resume(slug, prompt) {
      const row = await rowOf(database, { kind: 'slug', slug });
      if (row === undefined) return { kind: 'not_found' };
      if (!isLiving(row)) return hasEnded(slug);
      const answer = await update(row.workflowId, {
        kind: 'resume',
        promptRef: await world.storeText(prompt),
      });
      if ('kind' in answer) return answer;
      return { kind: 'started', slug, workflowId: row.workflowId, turn: answer.turn };
    },

    async command(target, command) {
      const row = await rowOf(database, target);
      // Else it would reach whatever has the workflow's id by now: the fork's next sync, the next life.
      if (target.kind === 'slug' && row !== undefined && !isLiving(row)) return hasEnded(row.slug);
      // A run so young that it has no row yet is found by its issue all the same.
      const young = target.kind === 'subject' ? workflowIdOf(target.subject) : undefined;
      const workflowId = row?.workflowId ?? young;
      if (workflowId === undefined) return { kind: 'not_found' };
      const answer = await update(workflowId, await operatorCommand(world, command));
      if (!('kind' in answer)) return { kind: 'accepted', slug: answer.slug, phase: answer.phase };
      // Temporal has forgotten it, or it is closed.
      return answer.kind === 'not_found' && row !== undefined ? hasEnded(row.slug) : answer;
    },

    async status({ all }) {
      const rows = await (all ? database.forgeState.all() : database.forgeState.living());
      return Promise.all(rows.map((row) => summaryOf(world, row)));
    },

    run: async (slug) => {
      const row = await database.forgeState.ofRun(slug);
      return row && summaryOf(world, row);
    },

    timeline: async (slug) => {
      const row = await database.forgeState.ofRun(slug);
      if (row === undefined) return undefined;
      const now = await view(row.workflowId);
      // One that has ended has no slug; the row says that no later life has begun.
      if (now === undefined || (now.slug !== slug && !(now.slug === null && row.status === 'destroyed')))
        return undefined;
      return call(world, (handle) => handle.query(timelineQuery), row.workflowId);
    },

    overview: () => database.runs.overview(),
    live: async ({ slug, workflowId }) => {
      const live = await call(quick(world), (handle) => handle.query(stateQuery), workflowId);
      if (live?.slug !== slug) return null;
      return { phase: live.phase, turn: live.turn, microUsd: live.spent.microUsd };
    },

    rejections: (limit) => world.rejections(limit),

    pause: (action, scope) => changePause(world, { action, scope, by: world.by }),
    pauses: () => database.pauses.all(),

    commands: (limit) => database.operatorLog.latest(limit),

    ...proposalDesk(world),

    async waitForTurn({ slug, workflowId, turn }) {
      for (;;) {
        const now = await patiently(() => view(workflowId));
        const outcome = outcomeOf(now, slug, turn, world.fetchCommand(slug));
        if (outcome === 'never_ran') {
          const why = now?.detail ?? (await patiently(() => lastNote(workflowId)));
          throw new CliError('failed', EXIT.failed, `the turn did not run: ${why}`);
        }
        if (outcome !== undefined) return outcome;
        await sleep(POLL_MS);
      }
    },

    close: () => world.close(),
  };
}

function hasEnded(slug: string): Refused {
  return { kind: 'refused', reason: `${slug} has ended` };
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
    promptRef: command.prompt === null ? null : await world.storeText(command.prompt),
  };
}

async function until<T>(ms: number, look: () => Promise<T | undefined>): Promise<T | undefined> {
  const deadline = Date.now() + ms;
  for (;;) {
    const found = await look();
    if (found !== undefined || Date.now() > deadline) return found;
    await sleep(POLL_MS / 5);
  }
}
