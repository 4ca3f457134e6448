import { InvalidInputError } from '../../domain/base/errors.js';
import type { DecidedProposal } from '../../domain/run/stores.js';
import { PROPOSAL_TOOLS } from '../../domain/supervise/proposal.js';
import { readShownProposal } from '../../domain/supervise/read-shown-proposal.js';
import type { ShownProposal } from '../../domain/supervise/shown-proposal.js';
import { lineDiff } from '../../domain/text/line-diff.js';
import type { HomePorts } from '../ports/home-ports.js';
import type { RecordDecisionInput, RecordProposalInput } from '../ports/inputs.js';

type Ports = Pick<HomePorts, 'auditLog' | 'blobs' | 'database' | 'proposalFiles'>;

/**
 * The row, and the file for people. Repeating it changes nothing; one that is decided gets no file any more. Errors:
 * `InvalidInputError` when the blob is another proposal's; those of the ports.
 */
export async function recordProposal(ports: Ports, input: RecordProposalInput): Promise<void> {
  const { slug, workflowId, proposal } = input;
  const shown = await read(ports, proposal.ref);
  if (shown.proposal.id !== proposal.id || shown.proposal.bottle_slug !== slug)
    throw new InvalidInputError(`blob ${proposal.ref} is not proposal ${proposal.id} of ${slug}`);
  await ports.database.proposals.add({ ...proposal, slug, workflowId });
  const { decision } = await rowOf(ports, slug, proposal.id);
  if (decision === null) await ports.proposalFiles.write(shown.proposal);
}

/**
 * The row, then the line of the audit log, then the file goes: whichever of them a crash prevents, repeating it makes up for
 * it. The first decision is the one that is written down. Errors: `InvalidInputError` for a proposal without a row; those of
 * the ports.
 */
export async function recordDecision(
  ports: Ports,
  input: Pick<RecordDecisionInput, 'slug' | 'decision' | 'tried'>,
): Promise<void> {
  const { slug, tried = null } = input;
  const { id } = input.decision;
  const row = await rowOf(ports, slug, id);
  await ports.database.proposals.decide({ ...input.decision, slug });
  const { decision } = await rowOf(ports, slug, id);
  const { at, status, who, notesRef, ref } = decision ?? input.decision;
  const shown = await read(ports, row.ref);
  await ports.auditLog.append(PROPOSAL_TOOLS[row.tool].component, {
    at: new Date(at).toISOString(),
    slug,
    proposal: id,
    tool: row.tool,
    action: status,
    operator: who,
    justification: shown.proposal.justification,
    notes: notesRef === null ? '' : await ports.blobs.getText(notesRef),
    diff: await diffOf(ports, shown, status === 'rejected' || status === 'failed' ? row.ref : ref),
    ...((await hasNetwork(ports, ref ?? tried)) && { network: true }),
  });
  await ports.proposalFiles.remove(slug, id);
}

/** @param ref the proposal whose file is meant; `null`: there is none */
async function diffOf(ports: Ports, { currentFile }: ShownProposal, ref: string | null): Promise<string> {
  if (ref === null) return '';
  return lineDiff(currentFile, (await read(ports, ref)).proposal.proposed_file);
}

/** Of a build: the file does not say it. @param ref as above */
async function hasNetwork(ports: Ports, ref: string | null): Promise<boolean> {
  if (ref === null) return false;
  const { change } = await read(ports, ref);
  return change.kind === 'image' && change.network;
}

async function read({ blobs }: Ports, ref: string): Promise<ShownProposal> {
  return readShownProposal(await blobs.getText(ref));
}

async function rowOf({ database }: Ports, slug: string, id: string): Promise<DecidedProposal> {
  const row = (await database.proposals.find(id)).find((found) => found.slug === slug && found.id === id);
  if (row === undefined) throw new InvalidInputError(`there is no proposal ${id} of ${slug}`);
  return row;
}
