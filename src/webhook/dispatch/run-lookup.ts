import { workflowIdOf } from '../../domain/forge/issue.js';
import type { SubjectRef } from '../../domain/forge/issue.js';
import type { Database } from '../../domain/run/stores.js';
import { identityOf, isRowIn } from '../../domain/run/rows.js';
import type { ForgeStateRow } from '../../domain/run/rows.js';
import { issueOfBranch } from '../../domain/run/slug.js';
import type { ActOrder } from '../../domain/forge/trigger.js';
import type { Hint } from '../hint/hint.js';

/** Which run a delivery concerns, from the state rows. */
export interface RunLookup {
  /** The row of the run that the hint's issue or PR belongs to. */
  find(hint: Pick<Hint, 'subject' | 'repoId' | 'isPull' | 'headRef'>): ForgeStateRow | undefined;
  /** The trigger act of that life. */
  triggerOf(slug: string): ActOrder | undefined;
  /** The name its workflow has: that of the repository when the run began. */
  identityOf(row: ForgeStateRow): SubjectRef;
  /** The run that goes on under this workflow id. */
  holderOf(wanted: SubjectRef): ForgeStateRow | undefined;
  /** Whether a run goes on in the repository. */
  worksIn(repoId: number): boolean;
}

/**
 * A PR belongs to the run whose row has its number, else to the one whose branch it is (the row's own branch, in the
 * repository itself), else to itself. A repository that was renamed or transferred is recognised by its id, and a new
 * one that took an old name is not taken for it.
 */
export function createRunLookup(database: Pick<Database, 'forgeState' | 'runs'>): RunLookup {
  const living = (): ForgeStateRow[] => database.forgeState.all().filter((row) => row.status !== 'destroyed');
  const identity = (row: ForgeStateRow): SubjectRef => identityOf(row, database.runs.run(row.slug));
  return {
    identityOf: identity,
    holderOf: (wanted) => {
      const id = workflowIdOf(wanted);
      return living().find((row) => workflowIdOf(identity(row)) === id);
    },
    worksIn: (repoId) => living().some((row) => row.repoId === repoId),
    triggerOf: (slug) => {
      const run = database.runs.run(slug);
      return run === undefined ? undefined : { actAt: run.triggerAt, actId: run.triggerActId };
    },
    find: (hint) => {
      const { subject, headRef } = hint;
      const direct = database.forgeState.get(subject);
      const place = { repoId: hint.repoId, owner: subject.owner, repo: subject.repo };
      if (!hint.isPull && direct !== undefined && isRowIn(direct, place)) return direct;
      const here = database.forgeState.all().filter((row) => isRowIn(row, place));
      const issue = headRef === null ? undefined : issueOfBranch(headRef);
      return (
        latest(hint.isPull ? here.filter((row) => row.prNumber === subject.number) : []) ??
        latest(here.filter((row) => row.issueNumber === subject.number)) ??
        here.find((row) => row.issueNumber === issue && row.branch === headRef)
      );
    },
  };
}

function latest(rows: readonly ForgeStateRow[]): ForgeStateRow | undefined {
  const living = rows.filter((row) => row.status !== 'destroyed');
  return [...(living.length > 0 ? living : rows)].sort((a, b) => b.updatedAt - a.updatedAt)[0];
}
