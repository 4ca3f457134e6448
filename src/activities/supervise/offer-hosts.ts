import type { HostRefusals } from '../../domain/egress/totals.js';
import { readChange } from '../../domain/supervise/config-change.js';
import { hostsToOffer, notAskedFor, offerId, type Offer } from '../../domain/supervise/offer.js';
import type { Proposal } from '../../domain/supervise/proposal.js';
import { readShownProposal } from '../../domain/supervise/read-shown-proposal.js';
import type { ShownProposal } from '../../domain/supervise/shown-proposal.js';
import { sha256 } from '../base/sha256.js';
import type { HostPorts } from '../ports/host-ports.js';
import type { RunTurnInput } from '../ports/inputs.js';
import { currentConfig } from '../setup/current-config.js';
import { readSetup } from '../setup/read-setup.js';
import { keptProposals } from './kept-proposals.js';

/**
 * Hosts that were refused in this turn, as proposals for the operator; which of them are new the run knows. A turn ends
 * without them when they cannot be made.
 */
export async function offerHosts(
  ports: HostPorts,
  input: RunTurnInput,
  refusals: readonly HostRefusals[],
): Promise<readonly Offer[]> {
  if (refusals.length === 0) return [];
  try {
    return await offersOf(ports, input, refusals);
  } catch (error) {
    ports.log.warn({ slug: input.slug, err: error }, 'what was refused could not be offered to the operator');
    return [];
  }
}

async function offersOf(
  ports: HostPorts,
  input: RunTurnInput,
  refusals: readonly HostRefusals[],
): Promise<readonly Offer[]> {
  const { slug, turn } = input;
  const { isPublicSuffix } = ports;
  const setup = await readSetup(ports, input);
  const currentFile = currentConfig(setup, null)['allowlist'] ?? '';
  let unasked = refusals;
  // One is read and let go of before the next: an agent may have made many, and large ones.
  for (const ref of await keptProposals(ports.files, slug)) {
    unasked = notAskedFor(unasked, readShownProposal(await ports.blobs.getText(ref)));
    if (unasked.length === 0) return [];
  }
  const hosts = hostsToOffer(unasked, { ...setup, isPublicSuffix });
  const arrived = new Date(ports.clock.now()).toISOString();
  return Promise.all(
    hosts.map(async ({ host, count }) => {
      const times = count === 1 ? 'once' : `${String(count)} times`;
      const proposal: Proposal = {
        id: offerId(sha256, slug, host),
        tool: 'pipelock-block',
        proposed_file: `${currentFile}${host}\n`,
        justification: `${host} was refused ${times} in turn ${String(turn)}, and the agent did not ask for it.`,
        arrival_timestamp: arrived,
        current_file_hash: sha256(currentFile),
        bottle_slug: slug,
      };
      const read = readChange(proposal.tool, currentFile, proposal.proposed_file);
      if (read.kind === 'problems') throw new Error(read.problems.join('; '));
      const shown: ShownProposal = { proposal, currentFile, change: read.change };
      return { id: proposal.id, ref: await ports.blobs.put(JSON.stringify(shown)) };
    }),
  );
}
