/** Proposals of agents as the commands ask for them and decide them. */
import type { ProposalRow } from '../../domain/run/rows.js';
import type { DecidedProposal } from '../../domain/run/stores.js';
import type { ShownProposal } from '../../domain/supervise/shown-proposal.js';
import type { DecisionAccepted } from '../../domain/supervise/decision.js';

export interface ProposalDesk {
  /** Those that wait, of all runs, oldest first. */
  proposals(): Promise<readonly ListedProposal[]>;
  /** Those whose id begins so, decided or not; at most ten. */
  findProposals(idPrefix: string): Promise<readonly DecidedProposal[]>;
  /** What stands behind the row. Errors: when a blob of it is gone. */
  proposal(row: DecidedProposal): Promise<ProposalDetail>;
  /** @param row as it was read: nothing else than what it refers to is decided */
  decide(row: ProposalRow, decision: Decision): Promise<Decided | NotDecided>;
}

export interface ListedProposal extends ProposalRow {
  /** `null` when it cannot be read. */
  readonly shown: ShownProposal | null;
}

export interface ProposalDetail {
  readonly shown: ShownProposal;
  /** With the operator's file, where that is what took effect. */
  readonly modified: ShownProposal | null;
  /** The operator's words. */
  readonly notes: string | null;
}

export type Decision =
  | { readonly verdict: 'approve'; readonly notes: string | null }
  | { readonly verdict: 'modify'; readonly modified: ShownProposal; readonly notes: string | null }
  | { readonly verdict: 'reject'; readonly notes: string };

export interface Decided extends DecisionAccepted {
  readonly kind: 'decided';
}

export type NotDecided =
  | { readonly kind: 'refused'; readonly reason: string }
  /** The run's workflow is gone. */
  | { readonly kind: 'not_found' };
