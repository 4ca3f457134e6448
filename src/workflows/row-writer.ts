/** The rows that the machine wants written: in order, and before the next turn is prepared. */
import { workflowInfo } from '@temporalio/workflow';
import { shortProposalId } from '../domain/supervise/proposal.js';
import type { MachineEvent } from '../domain/run/events.js';
import { rows } from './activities.js';
import { failureReason } from './activity-failures.js';
import type { MachineCommand } from './run/commands.js';

type RowCommand = Extract<MachineCommand, { kind: `record_${string}` }>;

export class RowWriter {
  private recorded: Promise<void> = Promise.resolve();
  /** Rows of operators' acts that this execution has asked for. */
  private acts = 0;

  /** @param feed hears of a row that cannot be written and holds nothing up */
  constructor(private readonly feed: (event: MachineEvent) => void) {}

  /** Rows asked for so far are written. */
  get written(): Promise<void> {
    return this.recorded;
  }

  write(command: RowCommand): void {
    switch (command.kind) {
      case 'record_turn': {
        const { input } = command;
        const summary = `rows of turn ${String(input.turn)}`;
        return this.then(() => rows.recordTurn.executeWithOptions({ summary }, [input]));
      }
      case 'record_state': {
        const { input } = command;
        return this.then(() => rows.recordState.executeWithOptions({ summary: 'state row' }, [input]));
      }
      case 'record_command': {
        const { runId, workflowId } = workflowInfo();
        const row = { ...command.act, id: `${runId}/${String((this.acts += 1))}`, workflowId };
        const summary = `row of the operator's ${row.kind}`;
        return this.then(() => rows.recordCommand.executeWithOptions({ summary }, [row]));
      }
      case 'record_proposal': {
        const { input } = command;
        const summary = `row of proposal ${shortProposalId(input.proposal.id)}`;
        return this.orSay(summary, () => rows.recordProposal.executeWithOptions({ summary }, [input]));
      }
      case 'record_decision': {
        const { input } = command;
        const summary = `row of what was said to ${shortProposalId(input.decision.id)}`;
        return this.orSay(summary, () => rows.recordDecision.executeWithOptions({ summary }, [input]));
      }
      case 'record_end': {
        const { input } = command;
        return this.then(() => rows.recordEnd.executeWithOptions({ summary: 'end of the run' }, [input]));
      }
    }
  }

  /**
   * A row that can never be written fails the workflow task, which Temporal repeats until the cause is gone. The rejection is
   * left unhandled on purpose and is no failure of Temporal's, which would fail the run. Whoever waits for the row keeps waiting.
   */
  private then(work: () => Promise<void>): void {
    this.recorded = this.recorded.then(work).catch((cause: unknown) => {
      void Promise.reject(new Error(`a row cannot be written: ${failureReason(cause)}`, { cause }));
      return new Promise(() => undefined);
    });
  }

  /** For rows whose content anybody may have sent by Temporal's own tools: one that cannot be written becomes a note. */
  private orSay(what: string, work: () => Promise<void>): void {
    this.then(() =>
      work().catch((error: unknown) => {
        this.feed({ kind: 'unread', why: `${what}: ${failureReason(error)}` });
      }),
    );
  }
}
