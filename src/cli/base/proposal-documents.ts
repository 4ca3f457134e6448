/** Proposals as `--json` and the API have them. */
import type { DecidedProposal } from '../../domain/run/stores.js';
import type { ProposalOrigin } from '../../domain/run/rows.js';
import { effectOf } from '../../domain/supervise/config-change.js';
import type { ProposalTool } from '../../domain/supervise/proposal.js';
import type { ShownProposal } from '../../domain/supervise/shown-proposal.js';
import { lineDiff } from '../../domain/text/line-diff.js';
import type { ListedProposal, ProposalDetail } from './proposal-desk.js';

export interface ListedProposalDocument {
  readonly id: string;
  readonly slug: string;
  readonly tool: ProposalTool;
  readonly turn: number;
  readonly at: number;
  /** Of what is proposed. */
  readonly hash: string;
  /** These are `null` where it cannot be read. */
  readonly justification: string | null;
  readonly changes: readonly string[] | null;
}

interface VersionDocument {
  readonly proposedFile: string;
  readonly changes: readonly string[];
  readonly diff: string;
}

export interface ProposalDocument extends VersionDocument {
  readonly slug: string;
  readonly id: string;
  readonly workflowId: string;
  readonly tool: ProposalTool;
  readonly turn: number;
  readonly at: number;
  readonly origin: ProposalOrigin;
  readonly hash: string;
  readonly justification: string;
  readonly currentFile: string;
  readonly decision: DecidedProposal['decision'];
  readonly notes: string | null;
  readonly modified: VersionDocument | null;
}

export function listedProposalDocument(row: ListedProposal): ListedProposalDocument {
  const { id, slug, tool, turn, at, ref, shown } = row;
  return {
    ...{ id, slug, tool, turn, at, hash: ref },
    justification: shown?.proposal.justification ?? null,
    changes: shown === null ? null : effectOf(shown.change),
  };
}

export function proposalDocument(
  { ref: hash, decision, ...facts }: DecidedProposal,
  { shown, modified, notes }: ProposalDetail,
): ProposalDocument {
  const { justification } = shown.proposal;
  return {
    ...{ ...facts, hash, justification, currentFile: shown.currentFile, ...versionDocument(shown) },
    ...{ decision, notes, modified: modified === null ? null : versionDocument(modified) },
  };
}

function versionDocument({ proposal, currentFile, change }: ShownProposal): VersionDocument {
  return {
    proposedFile: proposal.proposed_file,
    changes: effectOf(change),
    diff: lineDiff(currentFile, proposal.proposed_file),
  };
}
