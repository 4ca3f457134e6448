/** An operator's decision on a proposal, as the run's workflow takes and answers it. */
import type { DecisionStatus } from './proposal.js';

export interface DecideRequest {
  /** The proposal's id. */
  readonly id: string;
  /** Blob of the `ShownProposal` that the operator saw. */
  readonly shown: string;
  readonly verdict: 'approve' | 'modify' | 'reject';
  /**
   * Blob of the `ShownProposal` that takes effect in place of the one that was shown: for `modify` with the operator's file, for
   * `approve` of an image with a network for its build; else `null`.
   */
  readonly modified: string | null;
  readonly notesRef: string | null;
  /** As in `OperatorCommand`. */
  readonly by?: string;
}

export interface DecisionAccepted {
  readonly slug: string;
  readonly status: DecisionStatus;
  /** `now`: in the bottle that runs. */
  readonly effect: 'now' | 'next_turn' | 'none';
  /** Of `failed`: blob of why. */
  readonly whyRef?: string | null;
}
