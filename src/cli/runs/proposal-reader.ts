/** Proposals over rows and blobs, for who only looks at them: nothing is asked of Temporal, nor is its client loaded. */
import { mapLimited } from '../../domain/base/map-limited.js';
import type { Database } from '../../domain/run/stores.js';
import { readShownProposal } from '../../domain/supervise/read-shown-proposal.js';
import type { ShownProposal } from '../../domain/supervise/shown-proposal.js';
import type { ProposalReader } from '../base/proposal-desk.js';

const READ_AT_ONCE = 8;

export interface ProposalRecords {
  /** Open for reading. */
  readonly database: Pick<Database, 'proposals' | 'forgeState'>;
  /** What is kept under a reference. */
  readText(ref: string): Promise<string>;
}

export function proposalReader(records: ProposalRecords): ProposalReader {
  const { proposals, forgeState } = records.database;
  const read = async (ref: string): Promise<ShownProposal> => readShownProposal(await records.readText(ref));
  return {
    proposals: async () =>
      mapLimited(await proposals.open(), READ_AT_ONCE, async (row) => ({
        ...row,
        // One that is broken does not hide the others.
        shown: await read(row.ref).catch(() => null),
      })),
    waiting: () => proposals.open(),
    findProposals: (idPrefix) => proposals.find(idPrefix),
    proposal: async ({ ref, decision }) => {
      const [effective, notes] = [decision?.ref ?? null, decision?.notesRef ?? null];
      return {
        shown: await read(ref),
        modified: effective === null || effective === ref ? null : await read(effective),
        notes: notes === null ? null : await records.readText(notes),
      };
    },
    bottlesOf: async (slug) => (await forgeState.ofRun(slug))?.bottleNames,
  };
}
