/** Proposals over rows and blobs; a decision is an update of the run's workflow. */
import { readShownProposal } from '../../domain/supervise/read-shown-proposal.js';
import { withNetwork, type ShownProposal } from '../../domain/supervise/shown-proposal.js';
import { decideUpdate } from '../../workflows/messages.js';
import type { Decision, ProposalDesk } from '../base/proposal-desk.js';
import { refusalOf, send } from './call-workflow.js';
import type { OrchestratorWorld } from './orchestrator-world.js';
import { proposalReader } from './proposal-reader.js';
import type { DecideRequest } from '../../domain/supervise/decision.js';

/** A change takes effect in the bottle that runs before the answer comes. */
const DECIDE_MS = 60_000;
/** An image is built before the answer comes, twice where another one is agreed to meanwhile. */
const BUILD_MS = 145 * 60_000;

export function proposalDesk(world: OrchestratorWorld): ProposalDesk {
  return {
    ...proposalReader(world),
    decide: async (row, decision) => {
      const request = await requestOf(world, row, decision);
      const callMs = world.callMs ?? (row.tool === 'capability-block' ? BUILD_MS : DECIDE_MS);
      const desk = { ...world, callMs };
      const accepted = await send(desk, decideUpdate, request, row.workflowId).catch(refusalOf);
      if (accepted === undefined) return { kind: 'not_found' };
      if ('kind' in accepted) return accepted;
      const { whyRef = null, ...decided } = accepted;
      const why = whyRef === null ? {} : { why: await world.readText(whyRef) };
      return { kind: 'decided', ...decided, ...why };
    },
  };
}

async function requestOf(
  world: OrchestratorWorld,
  { id, ref }: Parameters<ProposalDesk['decide']>[0],
  decision: Decision,
): Promise<DecideRequest> {
  const { verdict, notes } = decision;
  const instead = await insteadOf(world, ref, decision);
  return {
    id,
    shown: ref,
    verdict,
    modified: instead === null ? null : await world.storeText(JSON.stringify(instead)),
    notesRef: notes === null ? null : await world.storeText(notes),
    by: world.by,
  };
}

/** What takes effect in place of what was proposed; `null`: nothing else. */
async function insteadOf(
  world: OrchestratorWorld,
  ref: string,
  decision: Decision,
): Promise<ShownProposal | null> {
  if (decision.verdict === 'modify') return decision.modified;
  if (decision.verdict === 'reject' || decision.withNetwork !== true) return null;
  return withNetwork(readShownProposal(await world.readText(ref)));
}
