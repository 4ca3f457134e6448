/** What is kept of proposals beside their rows, for people and their tools [S2]. */
import type { Proposal, ProposalComponent, ProposalTool, DecisionStatus } from './proposal.js';

/** `queue/<slug>/<id>.json`: the proposals that wait. */
export interface ProposalFiles {
  /** Repeating it writes the same file. */
  write(proposal: Proposal): Promise<void>;
  /** Removing what is not there is fine. */
  remove(slug: string, id: string): Promise<void>;
}

/** `audit/<component>-<slug>.log`: append-only, each line holds the hash of the one before it. */
export interface AuditLog {
  /** A proposal that is in it already gets no second line. Not to be called twice at once for the same run. */
  append(component: ProposalComponent, entry: AuditEntry): Promise<void>;
}

export interface AuditEntry {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly slug: string;
  /** The proposal's id. */
  readonly proposal: string;
  readonly tool: ProposalTool;
  readonly action: DecisionStatus;
  /** `user@host`, as the sender said. */
  readonly operator: string;
  readonly justification: string;
  readonly notes: string;
  /** From the file as it was to the one that took effect, or, when rejected, to the one that did not. */
  readonly diff: string;
  /** The image's steps ran with a network, or were to: the operator allowed it. */
  readonly network?: true;
}
