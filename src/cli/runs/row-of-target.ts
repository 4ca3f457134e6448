import type { ForgeStateRow } from '../../domain/run/rows.js';
import type { Database } from '../../domain/run/stores.js';
import type { Target } from '../base/orchestrator.js';

/** The row of the run that is meant; `undefined` when there is none, or none yet. Errors: `StoreError`. */
export function rowOf(database: Pick<Database, 'forgeState'>, target: Target): ForgeStateRow | undefined {
  if (target.kind === 'slug') return database.forgeState.ofRun(target.slug);
  const { owner, repo, number } = target.subject;
  const own = database.forgeState.get(target.subject);
  // The number of a pull request means the run it belongs to.
  return (
    own ??
    database.forgeState
      .all()
      .find((row) => row.owner === owner && row.repo === repo && row.prNumber === number)
  );
}
