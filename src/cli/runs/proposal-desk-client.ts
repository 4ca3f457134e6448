/** Proposals over rows and blobs; a decision is an update of the run's workflow. */
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { mapLimited } from '../../domain/base/map-limited.js';
import { subjectOfWorkflow } from '../../domain/forge/issue.js';
import { readShownProposal } from '../../domain/supervise/read-shown-proposal.js';
import type { ShownProposal } from '../../domain/supervise/shown-proposal.js';
import { decideUpdate } from '../../workflows/messages.js';
import type { Decision, ProposalDesk } from '../base/proposal-desk.js';
import { call } from './call-workflow.js';
import type { OrchestratorWorld } from './orchestrator-world.js';
import type { DecideRequest } from '../../domain/supervise/decision.js';

const READ_AT_ONCE = 8;
/** A change takes effect in the bottle that runs before the answer comes. */
const DECIDE_MS = 60_000;

export function proposalDesk(world: OrchestratorWorld): ProposalDesk {
  const { proposals } = world.database;
  const read = async (ref: string): Promise<ShownProposal> => readShownProposal(await world.readText(ref));
  return {
    proposals: async () =>
      mapLimited(await proposals.open(), READ_AT_ONCE, async (row) => ({
        ...row,
        // One that is broken does not hide the others.
        shown: await read(row.ref).catch(() => null),
      })),
    findProposals: (idPrefix) => proposals.find(idPrefix),
    proposal: async ({ ref, decision }) => {
      const [effective, notes] = [decision?.ref ?? null, decision?.notesRef ?? null];
      return {
        shown: await read(ref),
        modified: effective === null || effective === ref ? null : await read(effective),
        notes: notes === null ? null : await world.readText(notes),
      };
    },
    decide: async (row, decision) => {
      const subject = subjectOfWorkflow(row.workflowId);
      if (subject === undefined) return { kind: 'not_found' };
      const request = await requestOf(world, row, decision);
      try {
        const accepted = await call(
          { ...world, callMs: world.callMs ?? DECIDE_MS },
          (handle) => handle.executeUpdate(decideUpdate, { args: [request] }),
          subject,
        );
        return accepted === undefined ? { kind: 'not_found' } : { kind: 'decided', ...accepted };
      } catch (error) {
        if (error instanceof WorkflowUpdateFailedError)
          return { kind: 'refused', reason: error.cause?.message ?? error.message };
        throw error;
      }
    },
  };
}

async function requestOf(
  world: OrchestratorWorld,
  { id, ref }: Parameters<ProposalDesk['decide']>[0],
  decision: Decision,
): Promise<DecideRequest> {
  const { verdict, notes } = decision;
  return {
    id,
    shown: ref,
    verdict,
    modified: decision.verdict === 'modify' ? await world.storeText(JSON.stringify(decision.modified)) : null,
    notesRef: notes === null ? null : await world.storeText(notes),
    by: world.by,
  };
}
