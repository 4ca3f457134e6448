/** A run whose agent proposes, on the time-skipping server: what the agent and the operator do is said by the test. */
import assert from 'node:assert/strict';
import { Context } from '@temporalio/activity';
import { WorkflowUpdateFailedError, type Client, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { RunTurnInput } from '../../../src/activities/ports/inputs.js';
import { workflowIdOf, type SubjectRef } from '../../../src/domain/forge/issue.js';
import type { ProposalOutcome, ProposeRequest } from '../../../src/domain/run/run-channel.js';
import { DEFAULT_POLICY } from '../../../src/domain/run/run-policy.js';
import type { TurnResult } from '../../../src/domain/run/turn.js';
import type { DecideRequest, DecisionAccepted } from '../../../src/domain/supervise/decision.js';
import type { ProposalTool } from '../../../src/domain/supervise/proposal.js';
import { temporalGateway } from '../../../src/webhook/dispatch/temporal-gateway.js';
import { decideUpdate, proposeUpdate, stateQuery } from '../../../src/workflows/messages.js';
import { observed, SUBJECT, trigger } from '../machine/world.js';
import { waitUntil } from '../stack/stack.js';
import { saveHistory } from './histories.js';
import { ScriptedActivities } from './scripted-activities.js';
import { send } from './send.js';
import { withWorkers } from './time-skipping.js';

const done: Partial<TurnResult> = { done: { id: 'd', status: 'success', summaryRef: 'r' } };

/** An id as proposals have it. */
export const idOf = (name: string): string => name.padEnd(32, '0');
/** What the operator is shown of it: a blob. */
export const shownOf = (id: string): string => id.repeat(2);

/** A run whose first turn does what it is told, and whose later ones end at once. */
export class ProposingRun {
  private slug = '';
  private finish = (): void => undefined;
  private readonly finished = new Promise<void>((resolve) => (this.finish = resolve));
  readonly fake = new ScriptedActivities((turn) => ({
    run: async (input: RunTurnInput) => {
      this.slug = input.slug;
      await send(this.handle(), { kind: 'turn_started', slug: input.slug, turn, at: 0 });
      return turn === 1 ? this.atWork() : done;
    },
  }));

  /** Until the test ends the turn, or the workflow does. */
  private async atWork(): Promise<Partial<TurnResult>> {
    const { cancelled, heartbeat } = Context.current();
    const beat = setInterval(heartbeat, 200);
    try {
      await Promise.race([this.finished, cancelled]);
      return done;
    } catch {
      return { exitCode: 143 };
    } finally {
      clearInterval(beat);
    }
  }

  constructor(
    private readonly client: Client,
    private readonly subject: SubjectRef,
  ) {}

  handle(): WorkflowHandle {
    return this.client.workflow.getHandle(workflowIdOf(this.subject));
  }

  async begin(superviseHoldMs = DEFAULT_POLICY.superviseHoldMs): Promise<void> {
    const gateway = temporalGateway(this.client, { policy: { ...DEFAULT_POLICY, superviseHoldMs } });
    const asked = { ...observed({ readAt: 6 }), trigger: trigger(5) };
    await gateway.signalWithStart(this.subject, asked, { title: 'A run', url: 'http://forge.invalid/1' });
    await this.until('the agent at work', async () => (await this.phase()) === 'running');
  }

  endTurn(): void {
    this.finish();
  }

  async phase(): Promise<string> {
    return (await this.handle().query(stateQuery)).phase;
  }

  until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
    return waitUntil(what, condition, 20_000);
  }

  propose(id: string, call = id, tool: ProposalTool = 'pipelock-block'): Promise<ProposalOutcome> {
    const request: ProposeRequest = {
      slug: this.slug,
      turn: 1,
      id,
      tool,
      ref: shownOf(id),
    };
    return this.handle().executeUpdate(proposeUpdate, { args: [request], updateId: call });
  }

  async proposed(id: string, tool?: ProposalTool): Promise<{ readonly answer: Promise<ProposalOutcome> }> {
    const answer = this.propose(id, id, tool);
    answer.catch(() => undefined);
    await this.until('its row', () => this.fake.proposed.some(({ proposal }) => proposal.id === id));
    return { answer };
  }

  decide(id: string, asked: Partial<DecideRequest> = {}): Promise<DecisionAccepted> {
    const request: DecideRequest = {
      id,
      shown: shownOf(id),
      verdict: 'approve',
      modified: null,
      notesRef: null,
      by: 'ann@desk',
      ...asked,
    };
    return this.handle().executeUpdate(decideUpdate, { args: [request] });
  }

  async refusalOf(call: Promise<unknown>): Promise<readonly [type: string, message: string]> {
    const error = await call.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof WorkflowUpdateFailedError, String(error));
    assert.ok(error.cause instanceof ApplicationFailure);
    return [error.cause.type ?? '', error.cause.message];
  }
}

let number = 900;

/** @param name under which its history is kept, when histories are recorded */
export async function withProposingRun(
  environment: TestWorkflowEnvironment,
  name: string | null,
  work: (run: ProposingRun) => Promise<void>,
): Promise<void> {
  const one = new ProposingRun(environment.client, { ...SUBJECT, number: (number += 1) });
  await withWorkers(environment, one.fake.activities, async () => {
    try {
      await work(one);
    } finally {
      one.endTurn();
    }
  });
  if (name === null || process.env['BOT_BOTTLE_RECORD_HISTORIES'] === undefined) return;
  await saveHistory(`${name}-1`, await one.handle().fetchHistory());
}
