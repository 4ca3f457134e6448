import type { Proposal } from '../../../src/domain/supervise/proposal.js';
import { readChange } from '../../../src/domain/supervise/config-change.js';
import type { ShownProposal } from '../../../src/domain/supervise/shown-proposal.js';

export const SLUG = 'coder-alice-demo-12-abcde';
export const ID = '3f2a9c1e0000000000000000000000ab';

/** A proposal that adds a host to a bottle that may reach one. */
export function shownProposal(changes: Partial<Proposal> = {}): ShownProposal {
  const proposal: Proposal = {
    id: ID,
    tool: 'pipelock-block',
    proposed_file: 'pypi.org\nfiles.example # for the wheels\n',
    justification: 'The build needs wheels.',
    arrival_timestamp: '2026-11-23T10:00:00.000Z',
    current_file_hash: 'c'.repeat(64),
    bottle_slug: SLUG,
    ...changes,
  };
  const read = readChange(proposal.tool, { allow: ['pypi.org'], routes: [] }, proposal.proposed_file);
  if (read.kind === 'problems') throw new Error(read.problems.join());
  const currentFile = proposal.tool === 'pipelock-block' ? 'pypi.org\n' : '{\n  "routes": []\n}\n';
  return { proposal, currentFile, change: read.change };
}
