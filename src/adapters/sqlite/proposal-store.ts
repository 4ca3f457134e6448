import type { DecidedProposal, ProposalStore } from '../../domain/run/stores.js';
import type { StateDb } from './state-tables.js';
import type { RecordRows } from './record/recorder.js';

const COLUMNS = [
  'proposal.slug',
  'proposal.id',
  'proposal.workflowId',
  'proposal.tool',
  'proposal.turn',
  'proposal.at',
  'proposal.ref',
  'proposal.origin',
] as const;

/** Enough to see that a shortened id is not clear. */
const MOST_FOUND = 10;
/** Behind every character that an id has. */
const AFTER_ANY = '~';

/** Tables `proposal` and `proposal_decision` (append-only, the first row of a key stays). Errors: `StoreError`. */
export function createProposalStore(db: StateDb, record: RecordRows): ProposalStore {
  const decided = () =>
    db
      .selectFrom('proposal')
      .leftJoin('proposalDecision as decision', (join) =>
        join.onRef('decision.slug', '=', 'proposal.slug').onRef('decision.id', '=', 'proposal.id'),
      )
      .select(COLUMNS)
      .select([
        'decision.status as status',
        'decision.who as who',
        'decision.at as decidedAt',
        'decision.ref as decidedRef',
        'decision.notesRef as notesRef',
      ]);
  const read = async (query: ReturnType<typeof decided>): Promise<DecidedProposal[]> =>
    (await query.execute()).map(({ status, who, decidedAt, decidedRef, notesRef, ...row }) => ({
      ...row,
      decision:
        status === null || who === null || decidedAt === null
          ? null
          : { slug: row.slug, id: row.id, status, who, at: decidedAt, ref: decidedRef, notesRef },
    }));
  return {
    add: async (row) => {
      await record('proposal', row);
    },
    decide: async (row) => {
      await record('proposalDecision', row);
    },
    open: () =>
      db
        .selectFrom('proposal')
        .select(COLUMNS)
        // As a join SQLite might go through all proposals instead.
        .where('proposal.seq', 'in', db.selectFrom('proposalWaiting').select('seq'))
        .orderBy('proposal.at')
        .orderBy('proposal.seq')
        .execute(),
    ofRun: (slug) =>
      read(decided().where('proposal.slug', '=', slug).orderBy('proposal.at').orderBy('proposal.seq')),
    find: (idPrefix) =>
      read(
        decided()
          .where('proposal.id', '>=', idPrefix)
          .where('proposal.id', '<', idPrefix + AFTER_ANY)
          .orderBy('proposal.id')
          .orderBy('proposal.seq')
          .limit(MOST_FOUND),
      ),
  };
}
