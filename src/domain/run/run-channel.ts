import type { DecisionStatus, ProposalTool } from '../supervise/proposal.js';
import type { RunEvent } from './events.js';
import type { PublishResult } from './turn.js';

/** What a host says to a run's workflow. */
export type HostEvent = Extract<
  RunEvent,
  { readonly kind: 'turn_started' | 'turn_held_up' | 'signal_done' | 'archive' }
>;

/** From the host that runs a turn to the run's workflow. */
export interface RunChannel {
  /** When it resolves, the workflow will hear of it. */
  tell(workflowId: string, event: HostEvent): Promise<void>;
  /**
   * Whether the run is still where it was in that epoch: else it was moved to another host, or another life has begun.
   * Errors: `BotBottleError` with `away`, when nobody can say.
   */
  isCurrent(workflowId: string, run: { readonly slug: string; readonly epoch: number }): Promise<boolean>;
  /** Runs the publish gate for the agent's `open_pr`; the same request id gives the same answer. */
  openPr(workflowId: string, request: OpenPrRequest): Promise<PublishResult>;
  /**
   * Passes a proposal of the agent on [S2]; when it resolves, it is with the run and not lost.
   * @param messageId one call of the agent: who asks again under it gets the same answer
   */
  propose(workflowId: string, messageId: string, request: ProposeRequest): Promise<PassedOn>;
}

/** Title and body are a blob. */
export interface OpenPrRequest {
  readonly slug: string;
  readonly turn: number;
  readonly requestId: string;
  readonly contentRef: string;
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

export interface PassedOn {
  /** Held until somebody decides, or `pending` after a while; or why the run does not take it, at once. */
  readonly outcome: () => Promise<ProposalOutcome | ProposalRefused>;
}

export interface ProposalRefused {
  readonly kind: 'refused';
  readonly reason: string;
}

/** As `ProposalAnswer`; the operator's words are a blob. */
export interface ProposalOutcome {
  readonly id: string;
  readonly status: DecisionStatus | 'pending';
  readonly notesRef: string | null;
}
