/** Proposals of agents as the commands ask for them and decide them. */
import type { ProposalRow, RunOverviewRow } from '../../domain/run/rows.js';
import type { DecidedProposal } from '../../domain/run/stores.js';
import { withNetwork, type ShownProposal } from '../../domain/supervise/shown-proposal.js';
import type { DecisionAccepted } from '../../domain/supervise/decision.js';

export interface ProposalReader {
  /** Those that wait, of all runs, oldest first. */
  proposals(): Promise<readonly ListedProposal[]>;
  /** The same without what they say: for who asks again and again. */
  waiting(): Promise<readonly ProposalRow[]>;
  /** Those whose id begins so, decided or not; at most ten. */
  findProposals(idPrefix: string): Promise<readonly DecidedProposal[]>;
  /** What stands behind the row. Errors: when a blob of it is gone. */
  proposal(row: DecidedProposal): Promise<ProposalDetail>;
  /** The bottles that a run's is merged from; `undefined` when there is no row of it. */
  bottlesOf(slug: string): Promise<readonly string[] | undefined>;
}

export interface ProposalDesk extends ProposalReader {
  /** @param row as it was read: nothing else than what it refers to is decided */
  decide(row: ProposalRow, decision: Decision): Promise<Decided | NotDecided>;
}

/** Must be closed. */
export interface OpenProposals extends ProposalReader {
  /** As `Orchestrator` has it. */
  overview(): Promise<readonly RunOverviewRow[]>;
  close(): Promise<void>;
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
  /** `withNetwork`: of an image, which is built without one otherwise. */
  | { readonly verdict: 'approve'; readonly notes: string | null; readonly withNetwork?: true }
  | { readonly verdict: 'modify'; readonly modified: ShownProposal; readonly notes: string | null }
  | { readonly verdict: 'reject'; readonly notes: string };

/** What the decision would bring into effect; `null`: nothing. */
export function inEffect(decision: Decision, shown: ShownProposal): ShownProposal | null {
  if (decision.verdict === 'reject') return null;
  if (decision.verdict === 'modify') return decision.modified;
  return decision.withNetwork === true ? withNetwork(shown) : shown;
}

export interface Decided extends DecisionAccepted {
  readonly kind: 'decided';
  /** Of `failed`: what the build said; text of whatever it ran. */
  readonly why?: string;
}

export type NotDecided =
  | { readonly kind: 'refused'; readonly reason: string }
  /** The run's workflow is gone. */
  | { readonly kind: 'not_found' };
