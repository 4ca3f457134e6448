import type { HostPorts } from '../ports/host-ports.js';
import type { RunTurnInput } from '../ports/inputs.js';
import { sha256 } from '../base/sha256.js';
import { currentConfig } from '../setup/current-config.js';
import { shownImage } from '../setup/run-image-file.js';
import { readSetup } from '../setup/read-setup.js';
import { upstreamOf } from '../../domain/egress/upstream.js';
import type { QueueBody } from '../../domain/run/queue.js';
import type { ProposeRequest } from '../../domain/run/run-channel.js';
import { forbiddenIn, readChange } from '../../domain/supervise/config-change.js';
import {
  MAX_JUSTIFICATION_BYTES,
  MAX_KEPT_PROPOSALS,
  MAX_PROPOSED_BYTES,
  PROPOSAL_TOOLS,
  proposalId,
  type Proposal,
} from '../../domain/supervise/proposal.js';
import type { ShownProposal } from '../../domain/supervise/shown-proposal.js';
import { countKept, keepProposal, keptProposal } from './kept-proposals.js';

export type ProposalMessage = Extract<QueueBody, { kind: 'proposal' }>;

const NO_ROOM =
  `this run has made ${String(MAX_KEPT_PROPOSALS)} proposals, and no other one is taken: ` +
  'do the work without, or end your turn and say what is missing';

export type MadeProposal =
  | { readonly kind: 'request'; readonly request: ProposeRequest }
  /** For the agent. */
  | { readonly kind: 'refused'; readonly reason: string };

/** Checks what the agent proposes against the file that is in force, and keeps it as the operator will be shown it. */
export async function proposeChange(
  ports: HostPorts,
  input: RunTurnInput,
  message: ProposalMessage,
): Promise<MadeProposal> {
  const { slug, turn } = input;
  const { tool, file, justification, currentHash, at } = message;
  if (isLonger(file, MAX_PROPOSED_BYTES) || isLonger(justification, MAX_JUSTIFICATION_BYTES))
    return refused('the file or its justification is too long');
  const fields = {
    tool,
    proposed_file: file,
    justification,
    current_file_hash: currentHash,
    bottle_slug: slug,
  };
  const id = proposalId(sha256, fields);
  // Sent again, it is what it was: its file may have changed since by its own approval.
  const known = await keptProposal(ports.files, slug, id);
  if (known !== undefined) return { kind: 'request', request: { slug, turn, id, tool, ref: known } };
  // It is kept before the run has said whether it takes it, and each justification makes another one.
  if ((await countKept(ports.files, slug)) >= MAX_KEPT_PROPOSALS) return refused(NO_ROOM);
  const setup = await readSetup(ports, input);
  const { file: name } = PROPOSAL_TOOLS[tool];
  const currentFile = currentConfig(setup, await shownImage(ports, slug, setup))[name] ?? '';
  if (sha256(currentFile) !== currentHash)
    return refused(
      `current_file_hash is not that of ${name} as it is now: read the file again, and start from that`,
    );
  const read = readChange(tool, currentFile, file);
  if (read.kind === 'problems') return refused(`${name}: ${read.problems.join('; ')}`);
  const { ownRoutes } = setup;
  const forbidden = forbiddenIn(read.change, { ...ports, ownRoutes });
  if (forbidden !== null) return refused(forbidden);
  const proposal: Proposal = {
    id,
    ...fields,
    arrival_timestamp: new Date(Math.min(at, ports.clock.now())).toISOString(),
  };
  const modelHosts = Object.values(ports.settings.models.upstreams).map(
    (upstream) => upstreamOf({ upstream }).host,
  );
  const shown: ShownProposal = { proposal, currentFile, change: read.change, ownRoutes, modelHosts };
  const ref = await ports.blobs.put(JSON.stringify(shown));
  await keepProposal(ports.files, slug, id, ref);
  return { kind: 'request', request: { slug, turn, id, tool, ref } };
}

function isLonger(text: string, bytes: number): boolean {
  return Buffer.byteLength(text) > bytes;
}

function refused(reason: string): MadeProposal {
  return { kind: 'refused', reason };
}
