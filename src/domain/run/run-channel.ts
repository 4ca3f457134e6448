import type { LostPart } from './run-files.js';
import type { DecisionStatus, ProposalTool } from '../supervise/proposal.js';
import type { DoneStatus, PublishResult } from './turn.js';

export interface RunChannel {
  turnStarted(
    workflowId: string,
    message: {
      readonly slug: string;
      readonly turn: number;
      readonly at: number;
      readonly lost?: readonly LostPart[];
    },
  ): Promise<void>;
  /** The turn cannot begin now, and is tried again; `reason` is for people. */
  turnHeldUp(
    workflowId: string,
    message: { readonly slug: string; readonly turn: number; readonly reason: string },
  ): Promise<void>;
  /** Asks a frozen run to put its containers away. */
  archive(workflowId: string, slug: string): Promise<void>;
  signalDone(
    workflowId: string,
    message: {
      readonly slug: string;
      readonly turn: number;
      readonly doneId: string;
      readonly status: DoneStatus;
      readonly summaryRef: string;
    },
  ): Promise<void>;
  /**
   * Whether the run is still where it was in that epoch: else it was moved to another host, or another life has begun.
   * Errors: `BotBottleError` with `away`, when nobody can say.
   */
  isCurrent(workflowId: string, run: { readonly slug: string; readonly epoch: number }): Promise<boolean>;
  /** Runs the publish gate for the agent's `open_pr`; the same request id gives the same answer. */
  openPr(
    workflowId: string,
    message: {
      readonly slug: string;
      readonly turn: number;
      readonly requestId: string;
      readonly contentRef: string;
    },
  ): Promise<PublishResult>;
  /**
   * Passes a proposal of the agent on [S2]; when it resolves, it is with the run and not lost.
   * @param messageId one call of the agent: who asks again under it gets the same answer
   */
  propose(workflowId: string, messageId: string, request: ProposeRequest): Promise<PassedOn>;
}

/** As the run's workflow takes it. */
export interface ProposeRequest {
  readonly slug: string;
  readonly turn: number;
  /** As in `Proposal`: the same id gives the same answer. */
  readonly id: string;
  readonly tool: ProposalTool;
  /** Blob of the `ShownProposal`. */
  readonly ref: string;
}

export type PassedOn =
  | { readonly kind: 'refused'; readonly reason: string }
  /** `outcome`: held until somebody decides, or `pending` after a while. */
  | { readonly kind: 'accepted'; readonly outcome: () => Promise<ProposalOutcome> };

/** As `ProposalAnswer`; the operator's words are a blob. */
export interface ProposalOutcome {
  readonly id: string;
  readonly status: DecisionStatus | 'pending';
  readonly notesRef: string | null;
}
