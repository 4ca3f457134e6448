import { latestOf, type ForgeStateRow } from '../../domain/run/rows.js';
import type { Database } from '../../domain/run/stores.js';
import type { Target } from '../base/orchestrator.js';

/** The row of the run that is meant; `undefined` when there is none, or none yet. Errors: `StoreError`. */
export async function rowOf(
  { forgeState }: Pick<Database, 'forgeState'>,
  target: Target,
): Promise<ForgeStateRow | undefined> {
  if (target.kind === 'slug') return forgeState.ofRun(target.slug);
  const own = await forgeState.get(target.subject);
  // The number of a pull request means the run it belongs to.
  return own ?? latestOf(await forgeState.ofNumber(target.subject, null));
}
