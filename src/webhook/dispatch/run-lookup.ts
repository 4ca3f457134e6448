import { workflowIdOf } from '../../domain/forge/issue.js';
import type { SubjectRef } from '../../domain/forge/issue.js';
import type { Database } from '../../domain/run/stores.js';
import { isRowIn, latestOf } from '../../domain/run/rows.js';
import type { ForgeStateRow } from '../../domain/run/rows.js';
import { issueOfBranch } from '../../domain/run/slug.js';
import type { ActOrder } from '../../domain/forge/trigger.js';
import type { Hint } from '../events/hint.js';

/** Which run a delivery concerns, from the state rows. Errors: the database's. */
export interface RunLookup {
  /** The row of the run that the hint's issue or PR belongs to. */
  find(hint: Pick<Hint, 'subject' | 'repoId' | 'isPull' | 'headRef'>): Promise<ForgeStateRow | undefined>;
  /** The trigger act of that life. */
  triggerOf(slug: string): Promise<ActOrder | undefined>;
  /** The run that goes on under this workflow id. */
  holderOf(wanted: SubjectRef): Promise<ForgeStateRow | undefined>;
}

/**
 * A PR belongs to the run whose row has its number, else to the one whose branch it is (the row's own branch, in the
 * repository itself), else to itself. A repository that was renamed or transferred is recognised by its id, and a new
 * one that took an old name is not taken for it.
 */
export function createRunLookup({ forgeState, runs }: Pick<Database, 'forgeState' | 'runs'>): RunLookup {
  return {
    holderOf: (wanted) => forgeState.holderOf(workflowIdOf(wanted)),
    triggerOf: async (slug) => {
      const run = await runs.run(slug);
      return run === undefined ? undefined : { actAt: run.triggerAt, actId: run.triggerActId };
    },
    find: async ({ subject, repoId, isPull, headRef }) => {
      const { owner, repo, number } = subject;
      if (!isPull) {
        const direct = await forgeState.get(subject);
        if (direct !== undefined && isRowIn(direct, { repoId, owner, repo })) return direct;
      }
      const rows = await forgeState.ofNumber(subject, repoId);
      const found =
        latestOf(isPull ? rows.filter((row) => row.prNumber === number) : []) ??
        latestOf(rows.filter((row) => row.issueNumber === number));
      if (found !== undefined || headRef === null) return found;
      const issue = issueOfBranch(headRef);
      const onBranch = await forgeState.ofBranch(subject, repoId, headRef);
      return onBranch.find((row) => row.issueNumber === issue);
    },
  };
}
