import type { SubjectRef } from '../../domain/forge/issue.js';
import { latestOf, type ForgeStateRow } from '../../domain/run/rows.js';
import type { Database } from '../../domain/run/stores.js';
import type { Target } from '../base/orchestrator.js';

/**
 * The row of the run that is meant, whatever the case of the names in it; `undefined` when there is none, or none yet.
 * Errors: `StoreError`.
 */
export async function rowOf(
  { forgeState }: Pick<Database, 'forgeState'>,
  target: Target,
): Promise<ForgeStateRow | undefined> {
  if (target.kind === 'slug') return forgeState.ofRun(target.slug);
  const { subject } = target;
  const own = await forgeState.get(subject);
  // The number of a pull request means the run it belongs to.
  const found = own ?? latestOf(await forgeState.ofNumber(subject, null));
  return found ?? inAnyCase(forgeState, subject);
}

/** A forge tells no names apart by their case, and people write them as they like. */
async function inAnyCase(
  forgeState: Database['forgeState'],
  subject: SubjectRef,
): Promise<ForgeStateRow | undefined> {
  const rows = await forgeState.ofNumberInAnyCase(subject);
  return latestOf(rows.filter(({ issueNumber }) => issueNumber === subject.number)) ?? latestOf(rows);
}
