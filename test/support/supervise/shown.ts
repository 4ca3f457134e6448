import type { Proposal, ProposalTool } from '../../../src/domain/supervise/proposal.js';
import { readChange } from '../../../src/domain/supervise/config-change.js';
import { imageFile } from '../../../src/domain/supervise/image-change.js';
import type { ShownProposal } from '../../../src/domain/supervise/shown-proposal.js';

export const SLUG = 'coder-alice-demo-12-abcde';
export const ID = '3f2a9c1e0000000000000000000000ab';

export const IMAGE = `sha256:${'1'.repeat(64)}`;

const CURRENT: Readonly<Record<ProposalTool, string>> = {
  'pipelock-block': 'pypi.org\n',
  'cred-proxy-block': '{\n  "routes": []\n}\n',
  'capability-block': imageFile({ id: IMAGE, dockerfile: null, steps: [] }),
};

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
  const currentFile = CURRENT[proposal.tool];
  const read = readChange(proposal.tool, currentFile, proposal.proposed_file);
  if (read.kind === 'problems') throw new Error(read.problems.join());
  return { proposal, currentFile, change: read.change };
}
