/** A run whose agent proposes: what the agent and the operator do is said by the test. */
import assert from 'node:assert/strict';
import { Context } from '@temporalio/activity';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { ProposalOutcome, ProposeRequest } from '../../../src/domain/run/run-channel.js';
import type { TurnResult } from '../../../src/domain/run/turn.js';
import type { DecideRequest, DecisionAccepted } from '../../../src/domain/supervise/decision.js';
import type { ProposalTool } from '../../../src/domain/supervise/proposal.js';
import { decideUpdate, proposeUpdate } from '../../../src/workflows/messages.js';
import { waitUntil } from '../stack/stack.js';
import { DONE, IssueLife, served } from './issue-life.js';

/** An id as proposals have it. */
export const idOf = (name: string): string => name.padEnd(32, '0');
/** What the operator is shown of it: a blob. */
export const shownOf = (id: string): string => id.repeat(2);

/** What an activity waits for until the test says so. */
export class Gate {
  open = (): void => undefined;
  readonly opened = new Promise<void>((resolve) => (this.open = resolve));
}

export interface ProposingOptions {
  /** The name under which its history is kept, when histories are recorded. */
  readonly record?: string;
  /** How long an agent's call is held for the operator. */
  readonly holdMs?: number;
}

/** A run whose first turn goes on until it is told to end, and whose later ones end at once. */
export class ProposingRun extends IssueLife {
  endTurn = (): void => undefined;
  private readonly told = new Promise<void>((resolve) => (this.endTurn = resolve));

  constructor(environment: TestWorkflowEnvironment, { record, holdMs }: ProposingOptions = {}) {
    super(environment, {
      turn: (_life, { turn }) => (turn === 1 ? this.atWork() : DONE),
      ...(record === undefined ? {} : { record }),
      ...(holdMs === undefined ? {} : { policy: { superviseHoldMs: holdMs } }),
    });
  }

  /** Until the test ends the turn, or the workflow does. */
  private async atWork(): Promise<Partial<TurnResult>> {
    const { cancelled, heartbeat } = Context.current();
    const beat = setInterval(heartbeat, 200);
    try {
      await Promise.race([this.told, cancelled]);
      return DONE;
    } catch {
      return { exitCode: 143 };
    } finally {
      clearInterval(beat);
    }
  }

  propose(id: string, call = id, tool: ProposalTool = 'pipelock-block'): Promise<ProposalOutcome> {
    const request: ProposeRequest = {
      slug: this.fake.ran[0]?.slug ?? '',
      turn: 1,
      id,
      tool,
      ref: shownOf(id),
    };
    return this.handle.executeUpdate(proposeUpdate, { args: [request], updateId: call });
  }

  async proposed(id: string, tool?: ProposalTool): Promise<{ readonly answer: Promise<ProposalOutcome> }> {
    const answer = this.propose(id, id, tool);
    answer.catch(() => undefined);
    await waitUntil('its row', () => this.fake.proposed.some(({ proposal }) => proposal.id === id));
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
    return this.handle.executeUpdate(decideUpdate, { args: [request] });
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

/** Such a run, triggered and with its agent at work. */
export function withProposingRun(
  environment: TestWorkflowEnvironment,
  options: ProposingOptions,
  work: (run: ProposingRun) => Promise<void>,
): Promise<void> {
  const run = new ProposingRun(environment, options);
  return served(run, async () => {
    await run.trigger();
    await run.running();
    try {
      await work(run);
    } finally {
      run.endTurn();
    }
  });
}
