/** Proposals as `--json` and the API have them; `src/api/base/documents.ts` says which fields they have. */
import type { DecidedProposal } from '../../domain/run/stores.js';
import { effectOf } from '../../domain/supervise/change-effect.js';
import type { ShownProposal } from '../../domain/supervise/shown-proposal.js';
import { lineDiff } from '../../domain/text/line-diff.js';
import type { Decided, ListedProposal, ProposalDetail } from './proposal-desk.js';

export function listedProposalDocument({ id, slug, tool, turn, at, ref, shown }: ListedProposal) {
  return {
    ...{ id, slug, tool, turn, at, hash: ref },
    justification: shown?.proposal.justification ?? null,
    changes: shown === null ? null : effectOf(shown),
  };
}

export function proposalDocument(
  { ref: hash, decision, ...facts }: DecidedProposal,
  { shown, modified, notes }: ProposalDetail,
) {
  const { justification } = shown.proposal;
  return {
    ...{ ...facts, hash, justification, currentFile: shown.currentFile, ...versionDocument(shown) },
    ...{ decision, notes, modified: modified === null ? null : versionDocument(modified) },
  };
}

/** @param effective what the decision brought into effect, as `inEffect` has it */
export function decisionDocument(
  proposal: string,
  { slug, status, effect }: Decided,
  effective: ShownProposal | null,
) {
  return { proposal, slug, status, effect, changes: effective === null ? [] : effectOf(effective) };
}

function versionDocument(shown: ShownProposal) {
  const { proposal, currentFile } = shown;
  return {
    proposedFile: proposal.proposed_file,
    changes: effectOf(shown),
    diff: lineDiff(currentFile, proposal.proposed_file),
  };
}
