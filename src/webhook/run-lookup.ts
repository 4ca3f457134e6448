import { issueOfBranch } from '../domain/slug.js';
import type { Database } from '../domain/ports.js';
import type { ForgeStateRow } from '../domain/rows.js';
import type { Hint } from './parse-delivery.js';

/** Which run a delivery concerns, from the state rows. */
export interface RunLookup {
  /** The row of the run that the hint's issue or PR belongs to. */
  find(hint: Pick<Hint, 'subject' | 'repoId' | 'isPull' | 'headRef'>): ForgeStateRow | undefined;
  /** When the trigger act of that life was, epoch milliseconds of the forge's clock. */
  triggerAtOf(slug: string): number | undefined;
}

/**
 * A PR belongs to the run whose row has its number, else to the one whose branch it is (the row's own branch, in the
 * repository itself), else to itself. A repository that was renamed is recognised by its id.
 */
export function createRunLookup(database: Pick<Database, 'forgeState' | 'runs'>): RunLookup {
  return {
    triggerAtOf: (slug) => database.runs.run(slug)?.triggerAt,
    find: (hint) => {
      const { subject, headRef } = hint;
      const direct = database.forgeState.get(subject);
      if (!hint.isPull && direct !== undefined) return direct;
      const here = database.forgeState.all().filter((row) => isHere(row, hint));
      const issue = headRef === null ? undefined : issueOfBranch(headRef);
      return (
        latest(hint.isPull ? here.filter((row) => row.prNumber === subject.number) : []) ??
        here.find((row) => row.issueNumber === subject.number) ??
        here.find((row) => row.issueNumber === issue && row.branch === headRef)
      );
    },
  };
}

function isHere(row: ForgeStateRow, hint: Pick<Hint, 'subject' | 'repoId'>): boolean {
  const { owner, repo } = hint.subject;
  return row.repoId === null ? row.owner === owner && row.repo === repo : row.repoId === hint.repoId;
}

function latest(rows: readonly ForgeStateRow[]): ForgeStateRow | undefined {
  const living = rows.filter((row) => row.status !== 'destroyed');
  return [...(living.length > 0 ? living : rows)].sort((a, b) => b.updatedAt - a.updatedAt)[0];
}
